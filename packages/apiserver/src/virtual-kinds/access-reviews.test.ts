import { describe, expect, it } from "vitest";
import { accessServer, causesOf, user } from "../auth/fixtures/access-server.js";

const group = "/apis/authorization.k8s.io/v1";
const apiVersion = "authorization.k8s.io/v1";
const jane = user("jane");
const listPods = { namespace: "default", verb: "list", resource: "pods" };

async function world() {
  const server = accessServer();
  await server.grant(jane, [{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }]);
  const ask = (kind: string, spec: object, metadata: object = {}, path = `${group}/${kind.toLowerCase()}s`) =>
    server.ask(
      "POST",
      path,
      { apiVersion, kind, metadata, spec },
      { as: kind.startsWith("Self") ? jane : undefined },
    );
  const local = (spec: object, metadata: object = {}) =>
    ask("LocalSubjectAccessReview", spec, metadata, `${group}/namespaces/default/localsubjectaccessreviews`);
  const problems = async (answer: ReturnType<typeof ask>): Promise<string[]> => causesOf(await answer);
  return { ...server, review: ask, local, problems };
}

describe("SubjectAccessReview", () => {
  it("for the user itself names the binding that allows it", async () => {
    const { review } = await world();
    const { status, body } = await review("SelfSubjectAccessReview", { resourceAttributes: listPods });
    expect(status).toBe(201);
    expect(body).toEqual({
      apiVersion,
      kind: "SelfSubjectAccessReview",
      metadata: { managedFields: [expect.objectContaining({ manager: "test", operation: "Update" })] },
      spec: { resourceAttributes: listPods },
      status: {
        allowed: true,
        reason: expect.stringMatching(
          /^RBAC: allowed by RoleBinding "granted-.*\/default" of Role "granted-.*" to User "jane"$/,
        ),
      },
    });
    const other = await review("SelfSubjectAccessReview", {
      resourceAttributes: { ...listPods, verb: "delete" },
    });
    expect(other.body.status).toEqual({ allowed: false });
  });

  it.each<[string, object, boolean]>([
    ["a user", { user: "jane", resourceAttributes: listPods }, true],
    ["a user elsewhere", { user: "jane", resourceAttributes: { ...listPods, namespace: "x" } }, false],
    ["a user everywhere", { user: "jane", resourceAttributes: { verb: "list", resource: "pods" } }, false],
    [
      "a group",
      { groups: ["system:masters"], resourceAttributes: { verb: "*", group: "*", resource: "*" } },
      true,
    ],
    [
      "a path",
      {
        user: "x",
        groups: ["system:authenticated"],
        nonResourceAttributes: { path: "/healthz", verb: "get" },
      },
      true,
    ],
    ["a subresource", { user: "jane", resourceAttributes: { ...listPods, subresource: "log" } }, false],
  ])("answers for %s", async (_, spec, allowed) => {
    const { review } = await world();
    const { body } = await review("SubjectAccessReview", spec);
    expect(body.status.allowed).toBe(allowed);
  });

  it.each<[string, object, object, string[]]>([
    [
      "a resource or a path",
      { user: "x" },
      {},
      [
        "spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified",
      ],
    ],
    [
      "only one of them",
      { user: "x", resourceAttributes: listPods, nonResourceAttributes: { verb: "get" } },
      {},
      [
        'spec.nonResourceAttributes: Invalid value: {"Path":"","Verb":"get"}: cannot be specified in combination with resourceAttributes',
      ],
    ],
    [
      "somebody",
      { resourceAttributes: listPods },
      {},
      ['spec.user: Invalid value: "": at least one of user or group must be specified'],
    ],
    [
      "no name",
      { user: "x", resourceAttributes: listPods },
      { name: "a" },
      [
        expect.stringMatching(
          /^metadata: Invalid value: \{"name":"a","managedFields":\[.*\]\}: must be empty$/,
        ),
      ],
    ],
    [
      "selectors that say something",
      {
        user: "x",
        resourceAttributes: {
          ...listPods,
          fieldSelector: {},
          labelSelector: {
            rawSelector: "a",
            requirements: [{ key: "b", operator: "Exists", values: ["c"] }],
          },
        },
      },
      {},
      [
        "spec.resourceAttributes.fieldSelector.requirements: Required value: when spec.resourceAttributes.fieldSelector is specified, requirements or rawSelector is required",
        'spec.resourceAttributes.labelSelector.rawSelector: Invalid value: "a": may not specified at the same time as requirements',
        "spec.resourceAttributes.labelSelector.requirements[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      ],
    ],
  ])("requires %s", async (_, spec, metadata, expected) => {
    const { review, problems } = await world();
    expect(await problems(review("SubjectAccessReview", spec, metadata))).toEqual(expected);
  });

  it.each([
    ["fieldSelector", { rawSelector: "a" }, "ignored"],
    ["labelSelector", { rawSelector: "a in" }, "ignored"],
    [
      "fieldSelector",
      {
        requirements: [
          { key: "a", operator: "In", values: ["b"] },
          { key: "a", operator: "Like", values: ["b"] },
        ],
      },
      "partially ignored",
    ],
  ])("reports what was not understood of a %s", async (name, selector, how) => {
    const { review } = await world();
    const { body } = await review("SelfSubjectAccessReview", {
      resourceAttributes: { ...listPods, [name]: selector },
    });
    expect(body.status).toMatchObject({
      allowed: true,
      evaluationError: `spec.resourceAttributes.${name} ${how} due to parse error`,
    });
  });

  it("of a namespace is refused for anything outside of it", async () => {
    const { local, problems } = await world();
    expect((await local({ user: "jane", resourceAttributes: listPods })).body.status.allowed).toBe(true);
    expect(
      await problems(local({ user: "jane", resourceAttributes: { ...listPods, namespace: "x" } })),
    ).toEqual(['spec.resourceAttributes.namespace: Invalid value: "x": must match metadata.namespace']);
    expect(
      await problems(local({ user: "jane", nonResourceAttributes: { path: "/", verb: "get" } })),
    ).toEqual([
      'spec.nonResourceAttributes: Invalid value: {"Path":"/","Verb":"get"}: disallowed on this kind of request',
    ]);
    const elsewhere = await local({ user: "jane", resourceAttributes: listPods }, { namespace: "x" });
    expect([elsewhere.status, elsewhere.body.message]).toEqual([
      400,
      "the namespace of the provided object does not match the namespace sent on the request",
    ]);
  });
});

describe("SelfSubjectRulesReview", () => {
  it("lists all permissions of the user", async () => {
    const { review } = await world();
    const { body } = await review("SelfSubjectRulesReview", { namespace: "default" });
    expect(body).toMatchObject({ metadata: {}, spec: {}, status: { incomplete: false } });
    expect(body.status.resourceRules).toContainEqual({
      verbs: ["list"],
      apiGroups: [""],
      resources: ["pods"],
    });
    expect(body.status.nonResourceRules).toContainEqual({
      verbs: ["get"],
      nonResourceURLs: ["/healthz", "/livez", "/readyz", "/version", "/version/"],
    });
    const elsewhere = await review("SelfSubjectRulesReview", { namespace: "other" });
    expect(elsewhere.body.status.resourceRules).not.toContainEqual(
      expect.objectContaining({ resources: ["pods"] }),
    );
  });

  it("requires a namespace", async () => {
    const { review } = await world();
    const { status, body } = await review("SelfSubjectRulesReview", {});
    expect([status, body.message]).toEqual([400, "no namespace on request"]);
  });
});
