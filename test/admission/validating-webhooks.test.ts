import {
  type ApiError,
  ConfigMap,
  LocalSubjectAccessReview,
  type MatchCondition,
  Namespace,
  SubjectAccessReview,
  ValidatingAdmissionPolicy,
  type ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { type Answer, recorder, webhookServer, wellBehaved } from "./webhook-server.js";

const settings = (name: string, labels?: Record<string, string>): ConfigMap => ({
  metadata: { name, namespace: "shop", ...(labels ? { labels } : {}) },
});

const failure = (promise: Promise<unknown>): Promise<ApiError> =>
  promise.then(
    () => expect.fail("it went through"),
    (error) => error,
  );

describe("a validating webhook", () => {
  it.each([
    [{ message: "no" }, 400, "BadRequest", ": no"],
    [{ message: "no", code: 403, reason: "Forbidden" }, 403, "Forbidden", ": no"],
    [{ reason: "Conflict", code: 409 }, 409, "Conflict", ": Conflict"],
    [{ code: 200, message: "fine, but no" }, 400, "BadRequest", ": fine, but no"],
    [{ code: 12345 }, 500, "InternalError", " without explanation"],
    [undefined, 400, "BadRequest", " without explanation"],
  ])("refuses with %j: %i %s", async (status, code, reason, text) => {
    await using at = await webhookServer();
    const answer: Answer = { allowed: false, ...(status ? { status } : {}) };
    await at.validating(
      "deny",
      wellBehaved(() => answer),
    );
    const error = await failure(at.client.create(ConfigMap, settings("a")));
    expect(error).toMatchObject({ code, reason });
    expect(error.message).toContain(`admission webhook "deny.example.com" denied the request${text}`);
  });

  it("passes on the details of a refusal", async () => {
    await using at = await webhookServer();
    const causes = [{ reason: "FieldValueInvalid", message: "too long", field: "data.a" }];
    const status = { message: "no", code: 422, reason: "Invalid", details: { kind: "x", causes, other: 1 } };
    await at.validating(
      "deny",
      wellBehaved(() => ({ allowed: false, status })),
    );
    const error = await failure(at.client.create(ConfigMap, settings("a")));
    expect(error.details).toEqual({ kind: "x", causes });
  });

  it("sees what is about to be stored, name and uid included, and stores nothing when it refuses", async () => {
    await using at = await webhookServer();
    const { asked, webhook } = recorder(() => ({ allowed: false }));
    await at.validating("deny", webhook);
    await failure(at.client.create(ConfigMap, { metadata: { generateName: "a-", namespace: "shop" } }));
    const metadata = asked[0]?.object?.["metadata"] as ConfigMap["metadata"];
    expect(metadata).toMatchObject({ generateName: "a-", uid: expect.any(String) });
    expect(asked[0]?.name).toBe(metadata?.name);
    expect((await at.client.list(ConfigMap, { namespace: "shop" })).items).toEqual([]);
  });

  it("warns", async () => {
    await using at = await webhookServer();
    await at.validating(
      "warn",
      wellBehaved(() => ({ warnings: ["mind the gap", "mind the gap", "bad\nline"] })),
    );
    await at.client.create(ConfigMap, settings("a"));
    expect(at.warnings).toEqual(["mind the gap"]);
  });

  it("is asked at the same time as the others, and all are waited for", async () => {
    await using at = await webhookServer();
    let lastAsked = (): void => undefined;
    const allAsked = new Promise<void>((resolve) => {
      lastAsked = resolve;
    });
    const late = (answer: Answer) =>
      wellBehaved(async () => {
        await allAsked;
        await new Promise((resolve) => setImmediate(resolve));
        return answer;
      });
    await at.validating(
      "a",
      late({ allowed: false, status: { message: "a says no" }, warnings: ["a warns"] }),
    );
    await at.validating("b", late({}));
    await at.validating(
      "c",
      wellBehaved(() => {
        lastAsked();
        return { allowed: false, status: { message: "c says no" } };
      }),
    );
    const error = await failure(at.client.create(ConfigMap, settings("x")));
    expect(error.message).toMatch(/c says no$/);
    expect(at.warnings).toEqual(["a warns"]);
  });

  it("is not asked about the configurations of webhooks and policies", async () => {
    await using at = await webhookServer();
    const { asked, webhook } = recorder(() => ({ allowed: false }));
    const rules = [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*/*"] }] as const;
    await at.validating("all", webhook, { rules });
    await at.client.create(ValidatingAdmissionPolicy, {
      metadata: { name: "p" },
      spec: {
        matchConstraints: {
          resourceRules: [
            { apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["secrets"] },
          ],
        },
        validations: [{ expression: "true" }],
      },
    });
    await failure(at.client.create(ConfigMap, settings("x")));
    await at.client.delete(ValidatingWebhookConfiguration, "all");
    expect(asked.map(({ kind }) => kind.kind)).toEqual(["ConfigMap"]);
  });

  it("says whether it can be asked about dry runs", async () => {
    await using at = await webhookServer();
    const { asked, webhook } = recorder();
    await at.validating("none", webhook, { sideEffects: "NoneOnDryRun" });
    await at.client.create(ConfigMap, settings("x"), { dryRun: true });
    expect(asked[0]?.dryRun).toBe(true);
  });

  it("is told of deletions that go over a whole collection, one by one", async () => {
    await using at = await webhookServer();
    await at.client.create(ConfigMap, settings("a"));
    await at.client.create(ConfigMap, settings("b"));
    const { asked, webhook } = recorder(({ oldObject }) => ({
      allowed: (oldObject?.["metadata"] as ConfigMap["metadata"])?.name !== "b",
    }));
    await at.validating("keep", webhook);
    const error = await failure(at.client.deleteCollection(ConfigMap, { namespace: "shop" }));
    expect(error.code).toBe(400);
    expect(asked.map(({ operation, name }) => [operation, name])).toEqual([
      ["DELETE", undefined],
      ["DELETE", undefined],
    ]);
    expect((await at.client.list(ConfigMap, { namespace: "shop" })).items).toMatchObject([
      { metadata: { name: "b" } },
    ]);
  });
});

describe("connections", () => {
  const rules = [
    { apiGroups: [""], apiVersions: ["v1"], operations: ["CONNECT"], resources: ["pods/*"] },
  ] as const;

  it.each([
    [
      "exec",
      "command=sh&command=-c&stdin=true&stderr=0",
      "PodExecOptions",
      { command: ["sh", "-c"], stdin: true, stdout: true },
    ],
    ["attach", "container=main", "PodAttachOptions", { container: "main", stdout: true, stderr: true }],
    ["portforward", "ports=80,443", "PodPortForwardOptions", { ports: [80, 443] }],
    ["proxy/a/b", "", "PodProxyOptions", { path: "/a/b" }],
  ])("%s?%s pass admission as %s", async (subresource, query, kind, options) => {
    await using at = await webhookServer();
    const { asked, webhook } = recorder(() => ({
      allowed: false,
      status: { message: "hands off", code: 403 },
    }));
    await at.validating("deny", webhook, { rules });
    const { status, body } = await at.server.transport()({
      method: "POST",
      path: `/api/v1/namespaces/shop/pods/web/${subresource}`,
      query: new URLSearchParams(query),
    });
    expect(status).toBe(403);
    expect(body).toMatchObject({ value: { message: expect.stringContaining("hands off") } });
    expect(asked).toMatchObject([
      {
        operation: "CONNECT",
        name: "web",
        namespace: "shop",
        subResource: subresource.split("/")[0],
        kind: { group: "", version: "v1", kind },
        oldObject: null,
        options: null,
      },
    ]);
    expect(asked[0]?.object).toEqual({ apiVersion: "v1", kind, ...options });
  });
});

describe("selectors", () => {
  const selected = async (setting: Partial<ValidatingWebhook>, act: (at: Server) => Promise<unknown>) => {
    await using at = await webhookServer();
    const { asked, webhook } = recorder();
    await at.client.create(ConfigMap, settings("old", { app: "a" }));
    await at.validating("log", webhook, setting);
    await act(at);
    return asked.length > 0;
  };
  type Server = Awaited<ReturnType<typeof webhookServer>>;
  const create = (labels?: Record<string, string>) => (at: Server) =>
    at.client.create(ConfigMap, settings("x", labels));
  const relabel = (labels: object) => (at: Server) =>
    at.client.patch(ConfigMap, "old", { merge: { metadata: { labels } } }, { namespace: "shop" });
  const appA = { objectSelector: { matchLabels: { app: "a" } } };

  it.each([
    ["an object with the label", create({ app: "a" }), true],
    ["an object with another value", create({ app: "b" }), false],
    ["an object without labels", create(), false],
    ["an object that loses the label", relabel({ app: "b" }), true],
    ["an object that keeps the label", relabel({ x: "y" }), true],
    [
      "an object that is deleted",
      (at: Server) => at.client.delete(ConfigMap, "old", { namespace: "shop" }),
      true,
    ],
  ])("of objects and %s", async (_what, act, expected) => {
    expect(await selected(appA, act)).toBe(expected);
  });

  const namespaces = {
    apiGroups: [""],
    apiVersions: ["v1"],
    operations: ["*"],
    resources: ["namespaces"],
  } as const;
  const nodes = { ...namespaces, resources: ["nodes"] };
  const ofSales = { namespaceSelector: { matchLabels: { team: "sales" } } };
  const ofOthers = {
    namespaceSelector: { matchExpressions: [{ key: "team", operator: "NotIn", values: ["sales"] }] },
  };
  const newNamespace = (labels: Record<string, string>) => (at: Server) =>
    at.client.create(Namespace, { metadata: { name: "new", labels } });

  it.each([
    ["its namespace matches", ofSales, create(), true],
    ["its namespace does not", ofOthers, create(), false],
    [
      "a namespace is made that will match",
      { ...ofSales, rules: [namespaces] },
      newNamespace({ team: "sales" }),
      true,
    ],
    [
      "a namespace is made that will not",
      { ...ofSales, rules: [namespaces] },
      newNamespace({ team: "it" }),
      false,
    ],
    [
      "a namespace is deleted that matched",
      { ...ofSales, rules: [namespaces] },
      (at: Server) => at.client.delete(Namespace, "shop"),
      true,
    ],
    [
      "it is in no namespace at all",
      { ...ofSales, rules: [nodes] },
      (at: Server) =>
        at.server.transport()({
          method: "POST",
          path: "/api/v1/nodes",
          headers: { "content-type": "application/json" },
          body: { kind: "object", value: { apiVersion: "v1", kind: "Node", metadata: { name: "n" } } },
        }),
      true,
    ],
  ] as const)("of namespaces, where %s", async (_what, setting, act, expected) => {
    expect(await selected(setting, act as (at: Server) => Promise<unknown>)).toBe(expected);
  });
});

it("asks many at once, of a client that could leave, without a warning of a leak", async () => {
  const warned: Error[] = [];
  const hear = (warning: Error): void => void warned.push(warning);
  process.on("warning", hear);
  await using at = await webhookServer();
  const { asked, webhook } = recorder();
  for (let index = 0; index < 20; index++) await at.validating(`log-${index}`, webhook);
  const { signal } = new AbortController();
  await at.client.create(ConfigMap, settings("a"), { signal });
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", hear);
  expect([asked.length, warned]).toEqual([20, []]);
});

describe("a question that is answered and not stored", () => {
  const attributes = { verb: "get", resource: "pods", namespace: "shop" };
  const rules = [
    {
      apiGroups: ["authorization.k8s.io"],
      apiVersions: ["v1"],
      operations: ["CREATE" as const],
      resources: ["*"],
    },
  ];

  it("is put to webhooks as objects are", async () => {
    await using at = await webhookServer();
    const { asked, webhook } = recorder(() => ({ allowed: false, status: { message: "no questions" } }));
    await at.validating("log", webhook, { rules });
    const review = { spec: { user: "jane", resourceAttributes: attributes } };
    const error = await failure(at.client.create(SubjectAccessReview, review));
    expect(error.message).toContain("denied the request: no questions");
    expect(asked).toMatchObject([{ kind: { kind: "SubjectAccessReview" }, operation: "CREATE" }]);
  });

  it("is put to webhooks only if it makes sense", async () => {
    await using at = await webhookServer();
    const { asked, webhook } = recorder();
    await at.validating("log", webhook, { rules });
    await failure(at.client.create(SubjectAccessReview, { spec: {} }));
    expect(asked).toEqual([]);
    const review = {
      metadata: { namespace: "shop" },
      spec: { user: "jane", resourceAttributes: attributes },
    };
    const { status } = await at.client.create(LocalSubjectAccessReview, review);
    expect([status?.allowed, asked.length]).toEqual([false, 1]);
  });
});

describe("match conditions", () => {
  const asked = async (expressions: readonly string[], failurePolicy: "Fail" | "Ignore" = "Fail") => {
    await using at = await webhookServer();
    const { asked, webhook } = recorder();
    const matchConditions = expressions.map(
      (expression, i): MatchCondition => ({ name: `c${i}`, expression }),
    );
    await at.validating("log", webhook, { matchConditions, failurePolicy });
    await at.client.create(ConfigMap, settings("x", { app: "a" }));
    return asked.length > 0;
  };

  it.each([
    [["object.metadata.name == 'x'"], true],
    [["object.metadata.name == 'x'", "object.metadata.labels.app == 'b'"], false],
    [["oldObject == null", "request.operation == 'CREATE'"], true],
    [["'system:masters' in request.userInfo.groups"], true],
    [["authorizer.requestResource.check('create').allowed()"], true],
    [
      [
        "authorizer.serviceAccount('shop', 'default').group('').resource('configmaps').check('create').allowed()",
      ],
      false,
    ],
    [["namespaceObject == null"], true],
    // One that is false settles it, whatever goes wrong with another.
    [["object.metadata.labels.missing == 'b'", "false"], false],
  ])("%j: %s", async (expressions, expected) => expect(await asked(expressions)).toBe(expected));

  it("that cannot be evaluated refuse the request, or leave the webhook out", async () => {
    const broken = ["true", "object.metadata.labels.missing == 'b'", "object.spec.x == 1"];
    expect(await asked(broken, "Ignore")).toBe(false);
    const error = await failure(asked(broken));
    expect(error.code).toBe(403);
    expect(error.message).toContain(
      "configmaps \"x\" is forbidden: [expression 'object.metadata.labels.missing == 'b'' resulted in error: no such key: missing, " +
        "expression 'object.spec.x == 1' resulted in error: no such key: spec]",
    );
  });
});
