// Expressions in admission policies and webhooks; only tried, for they would be asked about everything else.
import type { Attack } from "./attack.js";
import { json } from "./encodings.js";
import { mutated } from "./mutate.js";
import type { Random } from "./random.js";
import { expression, longExpression } from "./texts.js";
import { fields, text } from "./values.js";

const group = "/apis/admissionregistration.k8s.io/v1";
const rules = [
  { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["deployments"] },
];

const right = [
  "object.spec.replicas > 1",
  "object.metadata.name.size() < 20 && !object.metadata.name.startsWith('a')",
  "object.spec.template.spec.containers.all(c, c.image.contains(':'))",
  "has(object.metadata.labels) && object.metadata.labels.exists(k, k == 'app')",
  "oldObject == null || oldObject.spec.replicas <= object.spec.replicas + 2",
  "request.userInfo.groups.exists_one(g, g.matches('^system:.*'))",
  "namespaceObject.metadata.name in ['default', 'a']",
  "quantity('1Gi').isGreaterThan(quantity('1Mi')) && cidr('10.0.0.0/8').containsIP('10.1.1.1')",
];

const cel = (random: Random): string => {
  if (random.chance(0.5)) return random.pick(right);
  return random.chance(0.1) ? longExpression(random) : expression(random);
};

const condition = (random: Random): object => ({
  name: random.pick(["a", "b", text(random)]),
  expression: cel(random),
});

/** A policy, or a webhook with conditions. */
export function policy(random: Random): Attack {
  const kind = random.pick([
    "ValidatingAdmissionPolicy",
    "MutatingAdmissionPolicy",
    "ValidatingWebhookConfiguration",
  ]);
  const rest = kind === "ValidatingWebhookConfiguration" ? webhooks(random) : { spec: spec(random, kind) };
  const object = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind,
    metadata: { name: "tried" },
    ...rest,
  };
  return {
    attack: "policy",
    method: "POST",
    path: `${group}/${kind === "ValidatingAdmissionPolicy" ? "validatingadmissionpolicies" : kind === "MutatingAdmissionPolicy" ? "mutatingadmissionpolicies" : "validatingwebhookconfigurations"}`,
    query: "dryRun=All",
    bytes: json(random, random.chance(0.8) ? object : mutated(random, object)),
  };
}

const webhooks = (random: Random): object => ({
  webhooks: [
    {
      name: "a.example.com",
      clientConfig: { url: "https://127.0.0.1:1/hook" },
      rules,
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      matchConditions: random.times(1 + random.below(3), () => condition(random)),
    },
  ],
});

const spec = (random: Random, kind: string): object =>
  fields([
    ["matchConstraints", { resourceRules: rules }],
    ["variables", random.times(random.below(3), () => condition(random))],
    ["matchConditions", random.times(random.below(2), () => condition(random))],
    kind === "ValidatingAdmissionPolicy"
      ? ["validations", random.times(howMany(random, 3), () => validation(random))]
      : ["mutations", random.times(1 + random.below(2), () => mutation(random))],
    ["reinvocationPolicy", "Never"],
    ["failurePolicy", "Fail"],
    ["auditAnnotations", random.times(random.below(2), () => ({ key: "a", valueExpression: cel(random) }))],
  ]);

/** A few as a rule, and now and then a great many. */
const howMany = (random: Random, few: number): number =>
  random.chance(0.02) ? random.pick([100, 500]) : 1 + random.below(few);

const validation = (random: Random): object => ({
  expression: cel(random),
  ...(random.chance(0.3) ? { messageExpression: cel(random) } : {}),
});

const mutation = (random: Random): object =>
  random.chance(0.5)
    ? {
        patchType: "JSONPatch",
        jsonPatch: { expression: `[JSONPatch{op: "add", path: "/a", value: ${cel(random)}}]` },
      }
    : {
        patchType: "ApplyConfiguration",
        applyConfiguration: { expression: `Object{spec: Object.spec{replicas: ${cel(random)}}}` },
      };
