import { VirtualClock } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { createApiServer } from "../server.js";
import type { LocalWebhook } from "../webhook-client/webhook-caller.js";
import type { AuditEvent } from "./audit-event.js";
import { withEndCallback } from "./long-answers.js";
import type { AuditLevel } from "./policy.js";

const core = "/api/v1/namespaces/default";
const admin = { name: "root", groups: ["system:masters", "system:authenticated"] };

function setUp(level: AuditLevel = "Metadata", webhook?: LocalWebhook) {
  const events: AuditEvent[] = [];
  const clock = new VirtualClock();
  const server = createApiServer({
    clock,
    disableAdmission: ["ServiceAccount"],
    tokens: new Map([["good", { name: "jane", groups: [] }]]),
    audit: {
      policy: { rules: [{ level }], omitStages: ["RequestReceived"] },
      write: (event) => void events.push(event),
    },
    resolveService: () => webhook,
  });
  const send = (
    method: "GET" | "POST" | "PUT",
    path: string,
    value?: unknown,
    { token, headers = {} }: { token?: string; headers?: Record<string, string> } = {},
  ) =>
    server.handle(
      {
        method,
        path,
        headers: {
          "content-type": "application/json",
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...headers,
        },
        ...(value === undefined ? {} : { body: { kind: "object", value } }),
      },
      token === undefined ? { user: admin } : {},
    );
  /** The audit annotations of one request. */
  const annotationsOf = async (...request: Parameters<typeof send>) => {
    events.splice(0);
    const response = await send(...request);
    const { "authorization.k8s.io/reason": _, ...rest } = events.at(-1)?.annotations ?? {};
    return { status: response.status, annotations: rest, event: events.at(-1), response };
  };
  return { server, clock, events, send, annotationsOf };
}

const allowed = { "authorization.k8s.io/decision": "allow" };
const pod = (name: string, more: object = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: "c", image: "i" }], ...more },
});

describe("audit annotations of authorization decisions", () => {
  test("carry the decision and its reason, for refused requests and missing objects too", async () => {
    const { annotationsOf, send } = setUp();
    const rbac = "/apis/rbac.authorization.k8s.io/v1";
    const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
    await send("POST", `${rbac}/clusterroles`, { metadata: { name: "r" }, rules });
    const roleRef = { kind: "ClusterRole", name: "r" };
    const subjects = [{ kind: "User", name: "jane" }];
    await send("POST", `${rbac}/clusterrolebindings`, { metadata: { name: "b" }, roleRef, subjects });
    const missing = await annotationsOf("GET", `${core}/pods/none`, undefined, { token: "good" });
    expect(missing.event?.annotations).toEqual({
      ...allowed,
      "authorization.k8s.io/reason":
        'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to User "jane"',
    });
    const refused = await annotationsOf("GET", `${core}/secrets/none`, undefined, { token: "good" });
    expect(refused.event?.annotations).toEqual({
      "authorization.k8s.io/decision": "forbid",
      "authorization.k8s.io/reason": "",
    });
  });

  test("are absent where the request is not authenticated", async () => {
    const { events, send } = setUp();
    events.splice(0);
    await send("GET", `${core}/pods`, undefined, { token: "bad" });
    expect(
      events.map(({ stage, user, annotations, responseStatus }) => [
        stage,
        user,
        annotations,
        responseStatus,
      ]),
    ).toEqual([
      [
        "ResponseStarted",
        {},
        undefined,
        { metadata: {}, status: "Failure", message: "Authentication failed, attempted: bearer", code: 401 },
      ],
    ]);
  });

  test("of a refused impersonation come without the impersonated user", async () => {
    const { events, send } = setUp();
    events.splice(0);
    await send("GET", `${core}/pods`, undefined, { token: "good", headers: { "impersonate-user": "root" } });
    expect(events.at(-1)).toMatchObject({ user: { username: "jane" }, responseStatus: { code: 403 } });
    expect(events.at(-1)).not.toHaveProperty("impersonatedUser");
  });
});

test("audit: constrained impersonation is recorded with its constraint", async () => {
  const { events, send } = setUp();
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const rules = [
    { apiGroups: ["authentication.k8s.io"], resources: ["users"], verbs: ["impersonate:user-info"] },
    { apiGroups: [""], resources: ["pods"], verbs: ["impersonate-on:user-info:list"] },
  ];
  await send("POST", `${rbac}/clusterroles`, { metadata: { name: "r" }, rules });
  const roleRef = { kind: "ClusterRole", name: "r" };
  const subjects = [{ kind: "User", name: "jane" }];
  await send("POST", `${rbac}/clusterrolebindings`, { metadata: { name: "b" }, roleRef, subjects });
  await send("GET", `${core}/pods`, undefined, { token: "good", headers: { "impersonate-user": "joe" } });
  expect(events.at(-1)).toMatchObject({
    user: { username: "jane" },
    impersonatedUser: { username: "joe" },
    authenticationMetadata: { impersonationConstraint: "impersonate:user-info" },
  });
});

describe("audit annotations of PodSecurity", () => {
  const labelled = async (labels: Record<string, string>) => {
    const parts = setUp();
    const prefix = "pod-security.kubernetes.io/";
    const full = Object.fromEntries(Object.entries(labels).map(([key, value]) => [`${prefix}${key}`, value]));
    await parts.send("POST", "/api/v1/namespaces", { metadata: { name: "guarded", labels: full } });
    return parts;
  };
  const privileged = { hostNetwork: true };
  const text = 'would violate PodSecurity "baseline:latest": host namespaces (hostNetwork=true)';

  test("name the enforced level, and the violations of the audit level", async () => {
    const { annotationsOf } = await labelled({ audit: "baseline" });
    const path = "/api/v1/namespaces/guarded/pods";
    expect(await annotationsOf("POST", path, pod("a", privileged))).toMatchObject({
      status: 201,
      annotations: {
        ...allowed,
        "pod-security.kubernetes.io/enforce-policy": "privileged:latest",
        "pod-security.kubernetes.io/audit-violations": text,
      },
    });
    expect((await annotationsOf("POST", path, pod("b"))).annotations).toEqual({
      ...allowed,
      "pod-security.kubernetes.io/enforce-policy": "privileged:latest",
    });
  });

  test("are set for refused pods and for workloads with a pod template too", async () => {
    const { annotationsOf } = await labelled({ audit: "baseline", enforce: "baseline" });
    const refused = await annotationsOf("POST", "/api/v1/namespaces/guarded/pods", pod("a", privileged));
    expect([refused.status, refused.annotations]).toEqual([
      403,
      {
        ...allowed,
        "pod-security.kubernetes.io/enforce-policy": "baseline:latest",
        "pod-security.kubernetes.io/audit-violations": text,
      },
    ]);
    const labels = { app: "a" };
    const template = { metadata: { labels }, spec: pod("a", privileged).spec };
    const made = await annotationsOf("POST", "/apis/apps/v1/namespaces/guarded/deployments", {
      metadata: { name: "d" },
      spec: { selector: { matchLabels: labels }, template },
    });
    expect(made.annotations).toEqual({ ...allowed, "pod-security.kubernetes.io/audit-violations": text });
  });
});

describe("audit annotations of webhooks", () => {
  const configuration = (kind: "Mutating" | "Validating", webhooks: readonly object[]) => ({
    metadata: { name: "hooks" },
    webhooks: webhooks.map((webhook) => ({
      clientConfig: { service: { namespace: "x", name: "y", path: "/" } },
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE"] }],
      ...webhook,
    })),
    kind: `${kind}WebhookConfiguration`,
    apiVersion: "admissionregistration.k8s.io/v1",
  });
  const at = (kind: string) => `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations`;
  const patch = [{ op: "add", path: "/data", value: { a: "b" } }];
  const answering =
    (more: object): LocalWebhook =>
    (_path, review) => {
      const { request } = review as { request: { uid: string } };
      const response = { uid: request.uid, allowed: true, auditAnnotations: { why: "because" }, ...more };
      return { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response };
    };
  const patching = answering({
    patchType: "JSONPatch",
    patch: Buffer.from(JSON.stringify(patch)).toString("base64"),
  });
  const names = '"configuration":"hooks","webhook":"one.example.com"';
  const mutation = { "mutation.webhook.admission.k8s.io/round_0_index_0": `{${names},"mutated":true}` };

  test.each([
    ["Metadata", {}],
    [
      "Request",
      {
        "patch.webhook.admission.k8s.io/round_0_index_0": `{${names},"patch":${JSON.stringify(patch)},"patchType":"JSONPatch"}`,
      },
    ],
  ] as const)("record mutations, at level %s", async (level, more) => {
    const { annotationsOf, send } = setUp(level, patching);
    await send("POST", at("mutating"), configuration("Mutating", [{ name: "one.example.com" }]));
    const { annotations } = await annotationsOf("POST", `${core}/configmaps`, { metadata: { name: "c" } });
    expect(annotations).toEqual({ ...allowed, ...mutation, "one.example.com/why": "because", ...more });
  });

  test("record validating webhooks, and those that failed open", async () => {
    const { annotationsOf, send } = setUp("Metadata", (path, review) => {
      if (path === "/broken") throw new Error("broken");
      return answering({})(path, review);
    });
    const broken = {
      failurePolicy: "Ignore",
      clientConfig: { service: { namespace: "x", name: "y", path: "/broken" } },
    };
    const hooks = [{ name: "one.example.com" }, { name: "two.example.com", ...broken }];
    await send("POST", at("mutating"), configuration("Mutating", hooks));
    await send("POST", at("validating"), configuration("Validating", hooks));
    const { annotations } = await annotationsOf("POST", `${core}/configmaps`, { metadata: { name: "c" } });
    expect(annotations).toEqual({
      ...allowed,
      "one.example.com/why": "because",
      "mutation.webhook.admission.k8s.io/round_0_index_0": `{${names},"mutated":false}`,
      "mutation.webhook.admission.k8s.io/round_0_index_1":
        '{"configuration":"hooks","webhook":"two.example.com","mutated":false}',
      "failed-open.mutation.webhook.admission.k8s.io/round_0_index_1": "two.example.com",
      "failed-open.validating.webhook.admission.k8s.io/round_0_index_1": "two.example.com",
    });
  });
});

test("audit annotations of a ValidatingAdmissionPolicy: validation failures and auditAnnotations", async () => {
  const { annotationsOf, send } = setUp();
  const home = "/apis/admissionregistration.k8s.io/v1";
  await send("POST", `${home}/validatingadmissionpolicies`, {
    metadata: { name: "p" },
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE"] },
        ],
      },
      validations: [{ expression: "true" }, { expression: "false", message: "never" }],
      auditAnnotations: [
        { key: "name", valueExpression: "'it is ' + object.metadata.name" },
        { key: "nothing", valueExpression: "null" },
      ],
    },
  });
  await send("POST", `${home}/validatingadmissionpolicybindings`, {
    metadata: { name: "b" },
    spec: { policyName: "p", validationActions: ["Audit"] },
  });
  const { annotations, status } = await annotationsOf("POST", `${core}/configmaps`, {
    metadata: { name: "c" },
  });
  expect([status, annotations]).toEqual([
    201,
    {
      ...allowed,
      "p/name": "it is c",
      "validation.policy.admission.k8s.io/validation_failure":
        '[{"message":"never","policy":"p","binding":"b","expressionIndex":1,"validationActions":["Audit"]}]',
    },
  ]);
});

test("audit annotations of service account tokens: the ID of an issued token, and the use of a stale one", async () => {
  const { annotationsOf, send, clock } = setUp();
  await send("POST", `${core}/serviceaccounts`, { metadata: { name: "x" } });
  await send("POST", `${core}/pods`, pod("x", { serviceAccountName: "x" }));
  const boundObjectRef = { kind: "Pod", apiVersion: "v1", name: "x" };
  const made = await annotationsOf("POST", `${core}/serviceaccounts/x/token`, {
    spec: { expirationSeconds: 3607, boundObjectRef },
  });
  expect(made.annotations["authentication.kubernetes.io/issued-credential-id"]).toMatch(
    /^JTI=[-0-9a-f]{36}$/,
  );
  const { token } = (made.response.body as { value: { status: { token: string } } }).value.status;
  const used = () => annotationsOf("GET", "/version", undefined, { token });
  expect((await used()).annotations).toEqual(allowed);
  await clock.advance(3608_000);
  expect((await used()).annotations).toEqual({
    ...allowed,
    "authentication.k8s.io/stale-token":
      "subject: system:serviceaccount:default:x, seconds after warning threshold: 1",
  });
  const scraped = await send("GET", "/metrics");
  const text = scraped.body.kind === "bytes" ? Buffer.from(scraped.body.bytes).toString() : "";
  expect(text).toContain("serviceaccount_stale_tokens_total 1\n");
  expect(text).toContain("serviceaccount_valid_tokens_total 2\n");
  await clock.advance(364 * 24 * 3600_000);
  expect((await used()).status).toBe(200);
  await clock.advance(24 * 3600_000);
  expect((await used()).status).toBe(401);
});

test("audit: an upgraded connection keeps its protocol", async () => {
  const upgrade = { as: "SPDY/3.1", protocol: "v4.channel.k8s.io", serve: () => undefined } as const;
  const audited = withEndCallback(
    { status: 101, headers: {}, body: { kind: "empty" }, upgrade },
    () => undefined,
  );
  expect(audited?.upgrade).toMatchObject({ as: "SPDY/3.1", protocol: "v4.channel.k8s.io" });
});
