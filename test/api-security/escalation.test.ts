// Nobody becomes more than they are: by impersonation, by roles and bindings, by names and wildcards.
import type { PolicyRule } from "@kubewright/api";
import type { UserInfo } from "@kubewright/apiserver";
import { beforeAll, describe, expect, test } from "vitest";
import { GuardedServer, type Sent } from "./guarded-server.js";

const guarded = new GuardedServer();
beforeAll(() => guarded.fill());

const secret: Sent = { method: "GET", url: "/api/v1/namespaces/default/secrets/x" };
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const rule = (verbs: string, resources: string, more: Partial<PolicyRule> = {}): PolicyRule => ({
  verbs: verbs.split(" "),
  apiGroups: ["", "rbac.authorization.k8s.io", "authentication.k8s.io"],
  resources: resources.split(" "),
  ...more,
});

describe("acting as someone else takes the right to every part of them", () => {
  const headers: readonly (readonly [string, Record<string, string>, PolicyRule])[] = [
    ["a user", { "impersonate-user": "root" }, rule("impersonate", "users")],
    ["a group", { "impersonate-group": "system:masters" }, rule("impersonate", "groups")],
    ["a uid", { "impersonate-uid": "7" }, rule("impersonate", "uids")],
    ["an extra", { "impersonate-extra-scopes": "all" }, rule("impersonate", "userextras/scopes")],
    ["another extra", { "impersonate-extra-%73copes2": "all" }, rule("impersonate", "userextras/scopes2")],
  ];
  const every = Object.assign({}, ...headers.map(([, each]) => each));

  test.each(headers.map(([what], index) => [what, index] as const))("%s", async (_what, missing) => {
    const rules = headers.filter((_, index) => index !== missing).map(([, , each]) => each);
    const user = await guarded.user([], rules);
    expect((await guarded.send({ ...secret, headers: every }, user)).status).toBe(403);
  });

  test("all of them together are enough", async () => {
    const user = await guarded.user(
      [],
      headers.map(([, , each]) => each),
    );
    expect((await guarded.send({ ...secret, headers: every }, user)).status).toBe(200);
  });

  test.each([
    [
      "only one user",
      { "impersonate-user": "admin" },
      rule("impersonate", "users", { resourceNames: ["jane"] }),
    ],
    [
      "a group by a user's right",
      { "impersonate-user": "jane", "impersonate-group": "system:masters" },
      rule("impersonate", "users"),
    ],
    [
      "a service account by a user's right",
      { "impersonate-user": "system:serviceaccount:default:x" },
      rule("impersonate", "users"),
    ],
    [
      "a service account of another namespace",
      { "impersonate-user": "system:serviceaccount:kube-system:x" },
      rule("impersonate", "serviceaccounts", { resourceNames: ["y"] }),
    ],
    ["nobody by name", { "impersonate-group": "system:masters" }, rule("*", "*")],
    ["nobody but a uid", { "impersonate-uid": "1" }, rule("impersonate", "uids")],
  ])("%s does not make one more", async (_what, impersonated, held) => {
    const user = await guarded.user([], [held]);
    const { status, text } = await guarded.send({ ...secret, headers: impersonated }, user);
    expect([400, 403]).toContain(status);
    expect(text).not.toContain("stringData");
  });

  test("and the other's rights hold then, not one's own", async () => {
    const user = await guarded.user([rule("get", "secrets")], [rule("impersonate", "users")]);
    expect((await guarded.send(secret, user)).status).toBe(200);
    expect((await guarded.send({ ...secret, headers: { "impersonate-user": "nobody" } }, user)).status).toBe(
      403,
    );
  });

  test("one who is impersonated cannot impersonate on", async () => {
    const second = await guarded.user([], [rule("impersonate", "users groups")]);
    const first = await guarded.user([], [rule("impersonate", "users", { resourceNames: [second.name] })]);
    const both = { "impersonate-user": second.name, "impersonate-group": "system:masters" };
    expect((await guarded.send({ ...secret, headers: both }, first)).status).toBe(403);
  });
});

describe("roles hold no more than their writers", () => {
  const write = "create update patch delete";
  const all = "roles rolebindings clusterroles clusterrolebindings";
  const grab: PolicyRule = { verbs: ["get"], apiGroups: [""], resources: ["secrets"] };
  let writer: UserInfo;
  beforeAll(async () => {
    writer = await guarded.user([], [rule(write, all), rule("get list", "configmaps")]);
    const existing = {
      metadata: { name: "mine", namespace: "default" },
      rules: [rule("get", "configmaps", { apiGroups: [""] })],
    };
    await guarded.send({ method: "POST", url: `${rbac}/namespaces/default/roles`, body: existing });
    await guarded.send({
      method: "POST",
      url: `${rbac}/clusterroles`,
      body: { ...existing, metadata: { name: "mine" } },
    });
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" };
    const body = { metadata: { name: "theirs" }, roleRef, subjects: [{ kind: "User", name: "someone" }] };
    await guarded.send({ method: "POST", url: `${rbac}/clusterrolebindings`, body });
  });

  const apply = { "content-type": "application/apply-patch+yaml" };
  const merge = { "content-type": "application/merge-patch+json" };
  const json = { "content-type": "application/json-patch+json" };
  const role = (name: string, more: object) => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name },
    ...more,
  });
  const subjects = () => [{ kind: "User", name: writer.name }];
  const ref = (name: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name });

  test.each<[string, () => Sent]>([
    [
      "a role",
      () => ({
        method: "POST",
        url: `${rbac}/namespaces/default/roles`,
        body: { metadata: { name: "a" }, rules: [grab] },
      }),
    ],
    [
      "a role for all",
      () => ({ method: "POST", url: `${rbac}/clusterroles`, body: role("a", { rules: [grab] }) }),
    ],
    [
      "a role, in a dry run",
      () => ({ method: "POST", url: `${rbac}/clusterroles?dryRun=All`, body: role("a", { rules: [grab] }) }),
    ],
    [
      "a role of paths",
      () => ({
        method: "POST",
        url: `${rbac}/clusterroles`,
        body: role("a", { rules: [{ verbs: ["get"], nonResourceURLs: ["/metrics"] }] }),
      }),
    ],
    [
      "a role for others to take in",
      () => ({
        method: "POST",
        url: `${rbac}/clusterroles`,
        body: {
          ...role("a", { rules: [grab] }),
          metadata: { name: "a", labels: { "rbac.authorization.k8s.io/aggregate-to-view": "true" } },
        },
      }),
    ],
    [
      "a role that takes in others",
      () => ({
        method: "POST",
        url: `${rbac}/clusterroles`,
        body: role("a", { aggregationRule: { clusterRoleSelectors: [{}] } }),
      }),
    ],
    [
      "a change of a role",
      () => ({ method: "PUT", url: `${rbac}/clusterroles/mine`, body: role("mine", { rules: [grab] }) }),
    ],
    [
      "a merge patch",
      () => ({ method: "PATCH", url: `${rbac}/clusterroles/mine`, headers: merge, body: { rules: [grab] } }),
    ],
    [
      "a strategic merge patch",
      () => ({
        method: "PATCH",
        url: `${rbac}/clusterroles/mine`,
        headers: { "content-type": "application/strategic-merge-patch+json" },
        body: { rules: [grab] },
      }),
    ],
    [
      "a JSON patch",
      () => ({
        method: "PATCH",
        url: `${rbac}/namespaces/default/roles/mine`,
        headers: json,
        body: [{ op: "add", path: "/rules/-", value: grab }],
      }),
    ],
    [
      "an applied change",
      () => ({
        method: "PATCH",
        url: `${rbac}/clusterroles/mine?fieldManager=m&force=true`,
        headers: apply,
        body: role("mine", { rules: [grab] }),
      }),
    ],
    [
      "an applied role",
      () => ({
        method: "PATCH",
        url: `${rbac}/clusterroles/b?fieldManager=m`,
        headers: apply,
        body: role("b", { rules: [grab] }),
      }),
    ],
    [
      "an aggregation added later",
      () => ({
        method: "PATCH",
        url: `${rbac}/clusterroles/mine`,
        headers: merge,
        body: { aggregationRule: { clusterRoleSelectors: [{}] } },
      }),
    ],
    [
      "a binding",
      () => ({
        method: "POST",
        url: `${rbac}/namespaces/default/rolebindings`,
        body: { metadata: { name: "a" }, roleRef: ref("cluster-admin"), subjects: subjects() },
      }),
    ],
    [
      "a binding for all",
      () => ({
        method: "POST",
        url: `${rbac}/clusterrolebindings`,
        body: { metadata: { name: "a" }, roleRef: ref("cluster-admin"), subjects: subjects() },
      }),
    ],
    [
      "a subject added to a binding",
      () => ({
        method: "PATCH",
        url: `${rbac}/clusterrolebindings/theirs`,
        headers: merge,
        body: { subjects: subjects() },
      }),
    ],
    [
      "a subject applied to a binding",
      () => ({
        method: "PATCH",
        url: `${rbac}/clusterrolebindings/theirs?fieldManager=m&force=true`,
        headers: apply,
        body: {
          apiVersion: "rbac.authorization.k8s.io/v1",
          kind: "ClusterRoleBinding",
          metadata: { name: "theirs" },
          roleRef: ref("cluster-admin"),
          subjects: subjects(),
        },
      }),
    ],
  ])("%s", async (_what, request) => {
    const { status } = await guarded.send(request(), writer);
    expect(status).toBe(403);
    expect((await guarded.send(secret, writer)).status).toBe(403);
  });

  test.each([
    [
      "escalate",
      "clusterroles",
      { method: "POST", url: `${rbac}/clusterroles?dryRun=All`, body: role("c", { rules: [grab] }) },
    ],
    [
      "bind",
      "clusterroles",
      {
        method: "POST",
        url: `${rbac}/clusterrolebindings?dryRun=All`,
        body: { metadata: { name: "c" }, roleRef: ref("cluster-admin"), subjects: [] },
      },
    ],
  ] as const)("unless they may %s", async (verb, resources, request) => {
    const user = await guarded.user([], [rule(write, all), rule(verb, resources)]);
    expect((await guarded.send(request, user)).status).toBe(201);
  });
});

describe("names and wildcards in roles", () => {
  const scale: Sent = { method: "GET", url: "/apis/apps/v1/namespaces/default/deployments/x/scale" };
  const whole: Sent = { method: "GET", url: "/apis/apps/v1/namespaces/default/deployments/x" };
  const status: Sent = { method: "GET", url: "/apis/example.com/v1/namespaces/default/widgets/x/status" };
  test.each([
    ["*/scale", [200, 403, 403]],
    ["*", [200, 200, 200]],
    ["deployments/*", [403, 403, 403]],
    ["deployments", [403, 200, 403]],
    ["*/status", [403, 403, 200]],
    ["widgets/status", [403, 403, 200]],
    ["Deployments", [403, 403, 403]],
    ["deployments/scale/x", [403, 403, 403]],
  ])("%s", async (resource, expected) => {
    const user = await guarded.user([], [{ apiGroups: ["*"], resources: [resource], verbs: ["get"] }]);
    const answers = await Promise.all([scale, whole, status].map((request) => guarded.send(request, user)));
    expect(answers.map((answer) => answer.status)).toEqual(expected);
  });

  test.each([
    ["/healthz", ["/healthz"], 200],
    ["/healthz/ping", ["/healthz"], 403],
    ["/healthz/ping", ["/healthz/*"], 200],
    ["/metrics", ["/metric*"], 200],
    ["/metrics", ["/metrics/"], 403],
    ["/metric%73", ["/metrics"], 200],
    ["/metric%73", ["/metric%73"], 403],
    ["/metrics/../metrics", ["/metrics"], 403],
    ["//metrics", ["/metrics"], 403],
  ])("the path %s for those with %j", async (url, nonResourceURLs, expected) => {
    const user = await guarded.user([], [{ verbs: ["get"], nonResourceURLs }]);
    const anonymous = { name: user.name, groups: [] };
    expect((await guarded.send({ method: "GET", url }, anonymous)).status).toBe(expected);
  });

  test.each(["POST", "PUT", "PATCH", "DELETE"] as const)("%s of a path is not to read it", async (method) => {
    const user = await guarded.user([], [{ verbs: ["get"], nonResourceURLs: ["*"] }]);
    expect((await guarded.send({ method, url: "/metrics" }, user)).status).toBe(403);
  });

  test.each([
    ["/api/v1/namespaces/default/secrets", ""],
    ["/api/v1/namespaces/default/secrets/x", ""],
  ])("OPTIONS %s is no verb anyone has", async (url) => {
    const user = await guarded.user([
      rule("get list watch create update patch delete deletecollection", "secrets"),
    ]);
    expect((await guarded.send({ method: "OPTIONS", url }, user)).status).toBe(403);
  });
});
