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

const cel = (random: Random): string => (random.chance(0.05) ? longExpression(random) : expression(random));

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
      ? ["validations", random.times(1 + random.below(3), () => validation(random))]
      : ["mutations", random.times(1 + random.below(2), () => mutation(random))],
    ["reinvocationPolicy", "Never"],
    ["failurePolicy", "Fail"],
    ["auditAnnotations", random.times(random.below(2), () => ({ key: "a", valueExpression: cel(random) }))],
  ]);

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
