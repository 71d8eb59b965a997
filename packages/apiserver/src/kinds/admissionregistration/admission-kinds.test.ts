import { describe, expect, it } from "vitest";
import { kindServer } from "../fixtures/kind-server.js";

const base = "/apis/admissionregistration.k8s.io/v1";
const apiVersion = "admissionregistration.k8s.io/v1";
const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] };

describe("MutatingWebhookConfiguration", () => {
  const path = `${base}/mutatingwebhookconfigurations`;
  const webhook = {
    name: "a.example.com",
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    clientConfig: { url: "https://x.example" },
    rules: [rule],
  };
  const configuration = (...webhooks: object[]) => ({
    apiVersion,
    kind: "MutatingWebhookConfiguration",
    metadata: { name: "c" },
    webhooks,
  });

  it("gets the defaults of Kubernetes", async () => {
    const { call } = await kindServer();
    const service = { name: "s", namespace: "n" };
    const { body } = await call("POST", path, configuration({ ...webhook, clientConfig: { service } }));
    expect(body.webhooks[0]).toMatchObject({
      failurePolicy: "Fail",
      matchPolicy: "Equivalent",
      namespaceSelector: {},
      objectSelector: {},
      timeoutSeconds: 10,
      reinvocationPolicy: "Never",
      clientConfig: { service: { port: 443 } },
      rules: [{ scope: "*" }],
    });
  });

  it.each([
    [{ name: "short" }, ["name"]],
    [{ clientConfig: {} }, ["clientConfig"]],
    [{ clientConfig: { url: "ftp://u@h/?q#f" } }, Array.from({ length: 4 }, () => "clientConfig.url")],
    [
      { clientConfig: { service: { name: "s", namespace: "n", port: 0, path: "/a//" } } },
      ["clientConfig.service.port", "clientConfig.service.path"],
    ],
    [{ sideEffects: "Some" }, ["sideEffects"]],
    [
      { admissionReviewVersions: ["v1", "v1", "V"] },
      ["admissionReviewVersions[1]", "admissionReviewVersions[2]"],
    ],
    [
      { rules: [{ ...rule, resources: ["pods/*", "pods/status", "*/scale", "x/scale"] }] },
      ["rules[0].resources[1]", "rules[0].resources[3]"],
    ],
    [{ rules: [{ ...rule, resources: ["*/*", "pods"] }] }, ["rules[0].resources"]],
    [
      { rules: [{ ...rule, apiVersions: [""], operations: ["READ"] }] },
      ["rules[0].operations[0]", "rules[0].apiVersions[0]"],
    ],
    [
      { matchConditions: [{ name: "", expression: "" }] },
      ["matchConditions[0].expression", "matchConditions[0].name"],
    ],
    [{ matchConditions: [{ name: "x", expression: "1" }] }, ["matchConditions[0].expression"]],
    [{ matchConditions: [{ name: "x", expression: "params.a" }] }, ["matchConditions[0].expression"]],
    [
      {
        matchConditions: [
          {
            name: "x",
            expression: "request.userInfo.username == 'a' && authorizer.path('/x').check('get').allowed()",
          },
        ],
      },
      [],
    ],
    [{ reinvocationPolicy: "Always" }, ["reinvocationPolicy"]],
  ])("validates %j: errors at %j", async (rest, expected) => {
    const { call, fields } = await kindServer();
    const answer = await call("POST", path, configuration({ ...webhook, ...rest }));
    expect(fields(answer)).toEqual(expected.map((field) => `webhooks[0].${field}`));
  });

  it("counts changes of its webhooks in generation, and requires a resourceVersion in updates", async () => {
    const { call, patch } = await kindServer();
    await call("POST", path, configuration(webhook));
    expect((await call("PUT", `${path}/c`, configuration())).status).toBe(422);
    expect((await patch(`${path}/c`, { webhooks: null })).body.metadata.generation).toBe(2);
  });
});

describe("ValidatingAdmissionPolicy", () => {
  const path = `${base}/validatingadmissionpolicies`;
  const policy = (spec: object) => ({
    apiVersion,
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "p" },
    spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: "true" }], ...spec },
  });

  it("defaults to failurePolicy Fail and matchPolicy Equivalent", async () => {
    const { call } = await kindServer();
    const { body } = await call("POST", path, policy({}));
    expect(body).toMatchObject({
      metadata: { generation: 1 },
      spec: { failurePolicy: "Fail", matchConstraints: { matchPolicy: "Equivalent", namespaceSelector: {} } },
      status: {},
    });
  });

  it.each([
    [{ matchConstraints: null }, ["spec.matchConstraints"]],
    [{ matchConstraints: {} }, ["spec.matchConstraints.resourceRules"]],
    [{ validations: [] }, ["spec.validations", "spec.auditAnnotations"]],
    [{ validations: [{ expression: " " }] }, ["spec.validations[0].expression"]],
    [{ validations: [{ expression: "1 + 1" }] }, ["spec.validations[0].expression"]],
    [
      { validations: [{ expression: "true", messageExpression: "1" }] },
      ["spec.validations[0].messageExpression"],
    ],
    [
      { validations: [{ expression: "true", messageExpression: "'' + authorizer" }] },
      ["spec.validations[0].messageExpression"],
    ],
    [
      { validations: [{ expression: "true", message: "a\nb", reason: "Why" }] },
      ["spec.validations[0].message", "spec.validations[0].reason"],
    ],
    [{ validations: [{ expression: "params.x" }] }, ["spec.validations[0].expression"]],
    [
      { paramKind: { apiVersion: "v1", kind: "ConfigMap" }, validations: [{ expression: "params.x == 1" }] },
      [],
    ],
    [{ paramKind: { apiVersion: "a/b/c", kind: "" } }, ["spec.paramKind.apiVersion", "spec.paramKind.kind"]],
    [
      { variables: [{ name: "if", expression: "" }] },
      ["spec.variables[0].name", "spec.variables[0].expression"],
    ],
    [
      {
        variables: [
          { name: "a", expression: "1" },
          { name: "b", expression: "variables.a + 1" },
        ],
        validations: [{ expression: "variables.b == 2" }],
      },
      [],
    ],
    [{ variables: [{ name: "a", expression: "variables.b" }] }, ["spec.variables[0].expression"]],
    [
      {
        auditAnnotations: [
          { key: "k", valueExpression: "'v'" },
          { key: "k", valueExpression: "1" },
        ],
      },
      ["spec.auditAnnotations[1].valueExpression", "spec.auditAnnotations[1].key"],
    ],
  ])("validates %j: errors at %j", async (spec, expected) => {
    const { call, fields } = await kindServer();
    expect(fields(await call("POST", path, policy(spec)))).toEqual(expected);
  });
});

describe("ValidatingAdmissionPolicyBinding", () => {
  const binding = (spec: object) => ({
    apiVersion,
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name: "b" },
    spec: { policyName: "p", validationActions: ["Deny"], ...spec },
  });

  it.each([
    [{ policyName: "" }, ["spec.policyName"]],
    [{ validationActions: [] }, ["spec.validationActions"]],
    [{ validationActions: ["Deny", "Warn"] }, ["spec.validationActions"]],
    [{ validationActions: ["Deny", "Deny"] }, ["spec.validationActions[1]"]],
    [{ paramRef: {} }, ["spec.paramRef", "spec.paramRef.parameterNotFoundAction"]],
    [
      { paramRef: { name: "a", selector: {}, parameterNotFoundAction: "Deny" } },
      ["spec.paramRef.name", "spec.paramRef.selector"],
    ],
    [
      { matchResources: { resourceRules: [{ ...rule, resourceNames: ["a", "a"] }] } },
      ["spec.matchResources.resourceRules[0].resourceNames[1]"],
    ],
  ])("validates %j: errors at %j", async (spec, expected) => {
    const { call, fields } = await kindServer();
    expect(fields(await call("POST", `${base}/validatingadmissionpolicybindings`, binding(spec)))).toEqual(
      expected,
    );
  });
});

describe("MutatingAdmissionPolicy", () => {
  const policy = (spec: object) => ({
    apiVersion,
    kind: "MutatingAdmissionPolicy",
    metadata: { name: "p" },
    spec: { reinvocationPolicy: "Never", matchConstraints: { resourceRules: [rule] }, ...spec },
  });

  it.each([
    [{}, ["spec.mutations"]],
    [{ reinvocationPolicy: undefined }, ["spec.mutations", "spec.reinvocationPolicy"]],
    [
      { matchConstraints: { resourceRules: [{ ...rule, operations: ["DELETE"] }] } },
      ["spec.matchConstraints.resourceRules.operations", "spec.mutations"],
    ],
    [{ mutations: [{ patchType: "JSONPatch" }] }, ["spec.mutations[0].jsonPatch"]],
    [{ mutations: [{ patchType: "Sed" }] }, ["spec.mutations[0].patchType"]],
    [
      {
        mutations: [
          {
            patchType: "JSONPatch",
            jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/a"}]' },
            applyConfiguration: {},
          },
        ],
      },
      ["spec.mutations[0].applyConfiguration"],
    ],
    [
      {
        mutations: [
          { patchType: "JSONPatch", jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/a"}]' } },
        ],
      },
      [],
    ],
  ])("validates %j: errors at %j", async (spec, expected) => {
    const { call, fields } = await kindServer();
    expect(fields(await call("POST", `${base}/mutatingadmissionpolicies`, policy(spec)))).toEqual(expected);
  });
});
