import {
  type ApiError,
  ConfigMap,
  CustomResourceDefinition,
  type KubeObject,
  Namespace,
  type ParamRef,
  type ResourceDescriptor,
  ServiceAccount,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  type ValidatingAdmissionPolicyBindingSpec,
  type ValidatingAdmissionPolicySpec,
  type Validation,
} from "@kubewright/api";
import { createApiServer, type UserInfo } from "@kubewright/apiserver";
import { Client } from "@kubewright/client";
import { describe, expect, it } from "vitest";

const failure = (promise: Promise<unknown>): Promise<ApiError> =>
  promise.then(
    () => expect.fail("it went through"),
    (error) => error,
  );

const configMaps = {
  apiGroups: [""],
  apiVersions: ["v1"],
  operations: ["*"],
  resources: ["configmaps"],
} as const;

async function policyServer() {
  const server = createApiServer({ disableAdmission: ["ServiceAccount"] });
  const warnings: string[] = [];
  const client = new Client({ transport: server.transport(), onWarning: (text) => warnings.push(text) });
  await client.create(Namespace, { metadata: { name: "shop", labels: { team: "sales" } } });
  return {
    client,
    warnings,
    metrics: async () => {
      const { body } = await server.transport()({ method: "GET", path: "/metrics" });
      return body.kind === "bytes" ? Buffer.from(body.bytes).toString() : "";
    },
    as: (user: UserInfo) => new Client({ transport: server.transport(user) }),
    async policy(spec: Partial<ValidatingAdmissionPolicySpec>, name = "p") {
      await client.create(ValidatingAdmissionPolicy, {
        metadata: { name },
        spec: { matchConstraints: { resourceRules: [configMaps] }, ...spec },
      });
    },
    async bind(spec: Partial<ValidatingAdmissionPolicyBindingSpec> = {}, name = "b") {
      await client.create(ValidatingAdmissionPolicyBinding, {
        metadata: { name },
        spec: { policyName: "p", validationActions: ["Deny"], ...spec },
      });
    },
    create: (data: Record<string, string> = {}, name = "x", options: { dryRun?: boolean } = {}) =>
      client.create(ConfigMap, { metadata: { name, namespace: "shop" }, data }, options),
    async [Symbol.asyncDispose]() {
      await client.close();
      server.close();
    },
  };
}

type Server = Awaited<ReturnType<typeof policyServer>>;
type Outcome = (at: Server) => Promise<unknown>;

/** What one validation does to a config map. */
async function outcome(validation: Validation, spec: Partial<ValidatingAdmissionPolicySpec> = {}) {
  await using at = await policyServer();
  await at.policy({ validations: [validation], ...spec });
  await at.bind();
  return at.create({ a: "1" }).then(
    () => "allowed",
    (error: ApiError) => error,
  );
}

describe("a validation", () => {
  it.each([
    ["object.data.a == '1'", "allowed"],
    ["oldObject == null && request.operation == 'CREATE'", "allowed"],
    [
      "request.name == 'x' && request.namespace == 'shop' && request.resource.resource == 'configmaps'",
      "allowed",
    ],
    ["request.userInfo.username == 'admin' && 'system:masters' in request.userInfo.groups", "allowed"],
    ["request.dryRun == false && request.options.kind == 'CreateOptions'", "allowed"],
    [
      "namespaceObject.metadata.labels.team == 'sales' && namespaceObject.status.phase == 'Active'",
      "allowed",
    ],
    ["object.metadata.uid != '' && object.kind == 'ConfigMap'", "allowed"],
    ["variables.doubled == 4 && variables.doubled > variables.count", "allowed"],
    ["authorizer.requestResource.check('create').allowed()", "allowed"],
    [
      "authorizer.group('apps').resource('deployments').namespace('shop').check('delete').reason() == ''",
      "allowed",
    ],
  ])("%s: %s", async (expression, expected) => {
    const variables = [
      { name: "count", expression: "size(object.data) + 1" },
      { name: "doubled", expression: "variables.count * 2" },
    ];
    expect(await outcome({ expression }, { variables })).toBe(expected);
  });

  it.each<readonly [Partial<Validation>, number, string, string]>([
    [{}, 422, "Invalid", "failed expression: object.data.a == '2'"],
    [{ message: "  must be 2 " }, 422, "Invalid", "must be 2"],
    [{ message: "no", reason: "Forbidden" }, 403, "Forbidden", "no"],
    [
      { reason: "RequestEntityTooLarge" },
      413,
      "RequestEntityTooLarge",
      "failed expression: object.data.a == '2'",
    ],
    [{ messageExpression: "'is ' + object.data.a" }, 422, "Invalid", "is 1"],
    [{ messageExpression: "'  '", message: "blank" }, 422, "Invalid", "blank"],
    [{ messageExpression: "'two\\nlines'", message: "lines" }, 422, "Invalid", "lines"],
    [{ messageExpression: "object.data.b + 'x'", message: "missing" }, 422, "Invalid", "missing"],
  ])("with %j refuses: %i %s %s", async (validation, code, reason, message) => {
    const error = await outcome({ expression: "object.data.a == '2'", ...validation });
    const text = `ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ${message}`;
    expect(error).toMatchObject({
      code,
      reason,
      message: `create ConfigMap shop/x: configmaps "x" is forbidden: ${text}`,
      details: { name: "x", kind: "configmaps", causes: [{ message: text }] },
    });
  });

  it("that fails to evaluate refuses, unless the policy fails open", async () => {
    const validation = { expression: "object.data.missing == '2'" };
    expect(await outcome(validation, { failurePolicy: "Ignore" })).toBe("allowed");
    expect(await outcome(validation)).toMatchObject({
      code: 422,
      message: expect.stringMatching(
        /denied request: expression 'object.data.missing == '2'' resulted in error: no such key: missing$/,
      ),
    });
  });

  it("that reads the object of a deletion finds nothing there", async () => {
    await using at = await policyServer();
    await at.create();
    await at.policy({
      validations: [
        { expression: "!has(object.data)", message: "there is something" },
        { expression: "object.metadata.name != 'x'" },
      ],
    });
    await at.bind();
    const error = await failure(at.client.delete(ConfigMap, "x", { namespace: "shop" }));
    expect(error.message).toMatch(/resulted in error: no such key: metadata$/);
  });

  it("that costs too much refuses", async () => {
    const loops = "[1,2,3,4,5,6,7,8,9,10]";
    const expression = `${loops}.all(a, ${loops}.all(b, ${loops}.all(c, ${loops}.all(d, ${loops}.all(e, ${loops}.all(f, a + b + c + d + e + f > 0))))))`;
    expect(await outcome({ expression })).toMatchObject({
      code: 422,
      message: expect.stringContaining("operation cancelled: actual cost limit exceeded"),
    });
  });

  it("runs out of budget with all the others together", async () => {
    await using at = await policyServer();
    const loops = "[1,2,3,4,5,6,7,8,9,10]";
    const expression = `${loops}.all(a, ${loops}.all(b, ${loops}.all(c, ${loops}.all(d, ${loops}.all(e, a + b + c + d + e > 0)))))`;
    await at.policy({ validations: Array.from({ length: 20 }, () => ({ expression })) });
    await at.bind();
    const error = await failure(at.create());
    expect(error.message).toMatch(/running out of cost budget, no further validation rules will be run$/);
  });
});

describe("a binding", () => {
  it("is counted by what it does", async () => {
    await using at = await policyServer();
    await at.policy({ validations: [{ expression: "object.data.size() == 1" }] });
    await at.bind({ validationActions: ["Warn", "Audit"] }, "mild");
    await at.create({ a: "b" }, "good");
    await at.create({}, "bad");
    await at.bind({}, "strict");
    await failure(at.create({}, "worse"));
    const text = await at.metrics();
    for (const [action, binding, count] of [
      ["warn", "mild", 2],
      ["audit", "mild", 2],
      ["deny", "strict", 1],
    ] as const) {
      const labels = `enforcement_action="${action}",error_type="no_error",policy="p",policy_binding="${binding}"`;
      const name = "apiserver_validating_admission_policy_check";
      expect(text).toContain(`${name}_total{${labels}} ${count}\n`);
      expect(text).toContain(`${name}_duration_seconds_count{${labels}} ${count}\n`);
    }
  });

  const never = [{ expression: "false", message: "never" }];

  it("is what puts a policy into force, and out of it", async () => {
    await using at = await policyServer();
    await at.policy({ validations: never });
    await at.create({}, "before");
    await at.bind();
    expect((await failure(at.create())).code).toBe(422);
    await at.client.delete(ValidatingAdmissionPolicyBinding, "b");
    await at.create({}, "after");
  });

  it.each([
    [["Warn"], "allowed", 1],
    [["Audit"], "allowed", 0],
    [["Warn", "Audit"], "allowed", 1],
    [["Deny", "Audit"], "denied", 0],
  ] as const)("with the actions %j", async (validationActions, expected, warnings) => {
    await using at = await policyServer();
    await at.policy({ validations: never });
    await at.bind({ validationActions });
    const given = await at.create().then(
      () => "allowed",
      () => "denied",
    );
    expect(given).toBe(expected);
    expect(at.warnings).toHaveLength(warnings);
    if (warnings > 0)
      expect(at.warnings).toEqual([
        "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': never",
      ]);
  });

  const denied = async (
    policy: Partial<ValidatingAdmissionPolicySpec>,
    binding: Partial<ValidatingAdmissionPolicyBindingSpec>,
    act: Outcome,
  ) => {
    await using at = await policyServer();
    await at.policy({ validations: never, ...policy });
    await at.bind(binding);
    return act(at).then(
      () => false,
      () => true,
    );
  };
  const create: Outcome = (at) => at.create();
  const createOther: Outcome = (at) => at.create({}, "other");
  const selector = (team: string) => ({ namespaceSelector: { matchLabels: { team } } });
  const rule = (change: object) => ({ matchConstraints: { resourceRules: [{ ...configMaps, ...change }] } });

  it.each<
    readonly [
      string,
      Partial<ValidatingAdmissionPolicySpec>,
      Partial<ValidatingAdmissionPolicyBindingSpec>,
      Outcome,
      boolean,
    ]
  >([
    ["everything", {}, {}, create, true],
    ["its namespace", {}, { matchResources: selector("sales") }, create, true],
    ["another namespace", {}, { matchResources: selector("it") }, create, false],
    ["its name", rule({ resourceNames: ["x"] }), {}, create, true],
    ["another name", rule({ resourceNames: ["x"] }), {}, createOther, false],
    ["another operation", rule({ operations: ["UPDATE"] }), {}, create, false],
    [
      "all but it",
      {
        matchConstraints: {
          resourceRules: [configMaps],
          excludeResourceRules: [{ ...configMaps, resourceNames: ["x"] }],
        },
      },
      {},
      create,
      false,
    ],
    [
      "its name in the binding",
      {},
      { matchResources: { resourceRules: [{ ...configMaps, resourceNames: ["y"] }] } },
      create,
      false,
    ],
    [
      "what its condition wants",
      { matchConditions: [{ name: "c", expression: "object.metadata.name == 'x'" }] },
      {},
      create,
      true,
    ],
    [
      "what its condition excludes",
      { matchConditions: [{ name: "c", expression: "object.metadata.name == 'x'" }] },
      {},
      createOther,
      false,
    ],
    [
      "itself",
      {
        matchConstraints: {
          resourceRules: [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"] }],
        },
      },
      {},
      (at) => at.client.delete(ValidatingAdmissionPolicyBinding, "b"),
      false,
    ],
  ])("for %s", async (_what, policy, binding, act, expected) => {
    expect(await denied(policy, binding, act)).toBe(expected);
  });
});

describe("parameters", () => {
  const validations = [
    {
      expression: "int(object.data.n) <= int(params.data.max)",
      messageExpression: "'more than ' + params.data.max",
    },
  ];
  const paramKind = { apiVersion: "v1", kind: "ConfigMap" };
  const limit = (at: Server, name: string, max: string, namespace = "shop", labels = { limit: "yes" }) =>
    at.client.create(ConfigMap, { metadata: { name, namespace, labels }, data: { max, n: "0" } });

  /** Creates a config map with n = 5 under limits of 3 and 9. */
  async function given(paramRef: ParamRef | undefined, spec: Partial<ValidatingAdmissionPolicySpec> = {}) {
    await using at = await policyServer();
    await limit(at, "three", "3");
    await limit(at, "nine", "9");
    await limit(at, "zero", "0", "default");
    await at.policy({ paramKind, validations, ...spec });
    await at.bind(paramRef ? { paramRef } : {});
    return at.create({ n: "5" }).then(
      () => "allowed",
      (error: ApiError) => error.message.replace(/^.*denied request: /, ""),
    );
  }
  const deny = { parameterNotFoundAction: "Deny" };
  const allow = { parameterNotFoundAction: "Allow" };

  it.each<readonly [ParamRef, string]>([
    [{ name: "three", ...deny }, "more than 3"],
    [{ name: "nine", ...deny }, "allowed"],
    [{ name: "zero", namespace: "default", ...deny }, "more than 0"],
    [{ name: "zero", ...allow }, "allowed"],
    [
      { name: "zero", ...deny },
      "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
    ],
    [{ selector: { matchLabels: { limit: "yes" } }, ...deny }, "more than 3"],
    [{ selector: { matchLabels: { limit: "no" } }, ...allow }, "allowed"],
    [
      { selector: { matchLabels: { limit: "no" } }, ...deny },
      "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
    ],
  ])("%j: %s", async (paramRef, expected) => expect(await given(paramRef)).toBe(expected));

  it("are null where a binding gives none", async () => {
    expect(await given(undefined, { validations: [{ expression: "params == null" }] })).toBe("allowed");
  });

  it("of a kind that is not served deny everything, unless the policy fails open", async () => {
    const unknown = { paramKind: { apiVersion: "example.com/v1", kind: "Limit" } };
    const ref = { name: "x", ...deny };
    expect(await given(ref, unknown)).toBe(
      "failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Limit'",
    );
    expect(await given(ref, { ...unknown, failurePolicy: "Ignore" })).toBe("allowed");
  });

  it("can be custom resources, which follow their definitions", async () => {
    await using at = await policyServer();
    const Limit: ResourceDescriptor<KubeObject> = {
      group: "example.com",
      version: "v1",
      kind: "Limit",
      plural: "limits",
      singular: "limit",
      scope: "Cluster",
      shortNames: [],
      categories: [],
      verbs: ["create", "patch"],
      subresources: [],
    };
    const schema = { openAPIV3Schema: { type: "object", properties: { max: { type: "integer" } } } };
    await at.client.create(CustomResourceDefinition, {
      metadata: { name: "limits.example.com" },
      spec: {
        group: "example.com",
        scope: "Cluster",
        names: { plural: "limits", kind: "Limit" },
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    });
    await expect
      .poll(() => at.client.create(Limit, { metadata: { name: "l" }, max: 3 } as never))
      .toBeDefined();
    await at.policy({
      paramKind: { apiVersion: "example.com/v1", kind: "Limit" },
      validations: [{ expression: "int(object.data.n) <= params.max && params.kind == 'Limit'" }],
    });
    await at.bind({ paramRef: { name: "l", ...deny } });
    await at.create({ n: "3" });
    expect((await failure(at.create({ n: "4" }, "y"))).code).toBe(422);
    await at.client.patch(Limit, "l", { merge: { max: 4 } });
    await at.create({ n: "4" }, "y");
  });
});

describe("a policy", () => {
  it("sees updates with what was before, and deletions", async () => {
    await using at = await policyServer();
    await at.policy({
      validations: [
        {
          expression: "request.operation != 'UPDATE' || object.data.frozen == oldObject.data.frozen",
          message: "frozen",
        },
        {
          expression: "request.operation != 'DELETE' || object == null && oldObject.metadata.name != 'x'",
          message: "stays",
        },
      ],
    });
    await at.create({ frozen: "a" });
    await at.bind();
    const x = { namespace: "shop" };
    await at.client.patch(ConfigMap, "x", { merge: { data: { other: "1" } } }, x);
    expect(
      (await failure(at.client.patch(ConfigMap, "x", { merge: { data: { frozen: "b" } } }, x))).message,
    ).toMatch(/frozen$/);
    expect((await failure(at.client.delete(ConfigMap, "x", x))).message).toMatch(/stays$/);
  });

  it("asks what others may do, by their roles", async () => {
    await using at = await policyServer();
    const jane: UserInfo = { name: "jane", groups: ["system:authenticated", "system:masters"] };
    await at.policy({
      validations: [
        {
          expression:
            "authorizer.serviceAccount('shop', 'robot').group('').resource('secrets').namespace('shop').check('get').allowed()",
          message: "the robot may not read secrets",
        },
      ],
    });
    await at.bind();
    await at.client.create(ServiceAccount, { metadata: { name: "robot", namespace: "shop" } });
    const create = () =>
      at.as(jane).create(ConfigMap, { metadata: { generateName: "x", namespace: "shop" } });
    expect((await failure(create())).message).toMatch(/the robot may not read secrets$/);
    await at.client.raw("/apis/rbac.authorization.k8s.io/v1/namespaces/shop/rolebindings", {
      method: "POST",
      body: {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "RoleBinding",
        metadata: { name: "robot" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
        subjects: [{ kind: "ServiceAccount", name: "robot", namespace: "shop" }],
      },
    });
    await create();
  });

  it("whose audit annotations cannot be made refuses whatever its actions, unless it fails open", async () => {
    for (const [failurePolicy, expected] of [
      ["Fail", "denied"],
      ["Ignore", "allowed"],
    ] as const) {
      await using at = await policyServer();
      await at.policy({
        failurePolicy,
        auditAnnotations: [{ key: "k", valueExpression: "object.data.missing + ''" }],
      });
      await at.bind({ validationActions: ["Audit"] });
      const given = await at.create().then(
        () => "allowed",
        () => "denied",
      );
      expect(given).toBe(expected);
    }
  });

  it("that comes first by name answers, when several deny", async () => {
    await using at = await policyServer();
    await at.policy({ validations: [{ expression: "false", message: "late" }] }, "z");
    await at.policy({ validations: [{ expression: "false", message: "early" }] }, "a");
    await at.bind({ policyName: "z" }, "one");
    await at.bind({ policyName: "a" }, "two");
    const error = await failure(at.create());
    expect(error.message).toContain("'a' with binding 'two' denied request: early");
    expect(error.details?.causes).toHaveLength(1);
  });
});
