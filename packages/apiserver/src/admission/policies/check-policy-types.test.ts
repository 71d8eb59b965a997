import { builtinResources, type ValidatingAdmissionPolicySpec } from "@kubewright/api";
import { kindTypeInfo } from "@kubewright/api/type-info";
import { expect, it } from "vitest";
import { checkPolicyTypes, type TypedKind, type TypedKinds } from "./check-policy-types.js";

function find(matches: (resource: (typeof builtinResources)[number]) => boolean): TypedKind | undefined {
  const resource = builtinResources.find(matches);
  const typeInfo = resource && kindTypeInfo(resource);
  return resource && typeInfo ? { ...resource, typeInfo } : undefined;
}

const kinds: TypedKinds = {
  ofResource: (group, version, plural) =>
    find((one) => one.group === group && one.version === version && one.plural === plural),
  ofKind: (group, version, kind) =>
    find((one) => one.group === group && one.version === version && one.kind === kind),
};

const policy = (expression: string, rest: object = {}, resources = ["deployments"]) => {
  const found = checkPolicyTypes(
    {
      matchConstraints: {
        resourceRules: [{ apiGroups: ["apps"], apiVersions: ["v1"], operations: ["*"], resources }],
      },
      validations: [{ expression }],
      ...rest,
    } as ValidatingAdmissionPolicySpec,
    kinds,
  );
  if (found instanceof Promise) throw new Error("what is short is checked at once");
  return found;
};

it.each([
  ["object.spec.replicas <= 5"],
  ["object.metadata.namespace != 'a' && has(oldObject.spec.template.metadata.labels)"],
  ["object.spec.template.spec.containers.all(c, c.image.startsWith('a'))"],
  ["request.userInfo.username == 'a' && authorizer.requestResource.check('get').allowed()"],
  ["object.metadata.creationTimestamp < timestamp('2026-01-01T00:00:00Z')"],
])("policy type checking: accepts %s", (expression) => {
  expect(policy(expression)).toEqual([]);
});

it("policy type checking: names the kind and the expression that does not type-check", () => {
  expect(policy("object.spec.replicas > '5'")).toEqual([
    {
      fieldRef: "spec.validations[0].expression",
      warning:
        "apps/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching overload for '_>_' applied to '(int, string)'\n | object.spec.replicas > '5'\n | .....................^\n",
    },
  ]);
});

it("policy type checking: checks every kind of the rules", () => {
  const [warning] = policy("object.spec.replicas > 1", {}, ["deployments", "daemonsets", "statefulsets"]);
  expect(warning?.warning).toContain(
    "apps/v1, Kind=DaemonSet: ERROR: <input>:1:12: undefined field 'replicas'",
  );
  expect(warning?.warning).not.toContain("Deployment");
});

it("policy type checking: checks messages, variables and parameters", () => {
  const found = policy("variables.count > params.data.most", {
    paramKind: { apiVersion: "v1", kind: "ConfigMap" },
    variables: [{ name: "count", expression: "object.spec.replicas" }],
  });
  expect(found[0]?.warning).toContain("applied to '(int, string)'");
  const validations = [{ expression: "true", messageExpression: "object.kind + object.nothing" }];
  expect(policy("", { validations })[0]).toMatchObject({
    fieldRef: "spec.validations[0].messageExpression",
    warning: expect.stringContaining("undefined field 'nothing'"),
  });
});

it("policy type checking: reports nothing for rules with wildcards", () => {
  expect(policy("object.nothing", {}, ["*"])).toEqual([]);
});

it("policy type checking: gives one warning for each of 120 validations that do not type-check", () => {
  const resourceRules = [
    { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["*"], resources: ["deployments", "daemonsets"] },
  ];
  const validations = Array.from({ length: 120 }, (_, index) => ({
    expression: `object.spec.replicas > ${index % 3 === 0 ? `'${index}'` : index} && variables.name != 'a'`,
  }));
  const spec = {
    matchConstraints: { resourceRules },
    variables: [{ name: "name", expression: "object.metadata.name" }],
    validations,
  } as ValidatingAdmissionPolicySpec;
  const found = checkPolicyTypes(spec, kinds);
  expect(found).toHaveLength(120);
});
