import type { UserInfo } from "@kubewright/kinds";
import { describe, expect, it } from "vitest";

import { accessServer, user } from "../fixtures/access-server.js";

const whoAmI = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
const jane = user("jane");
const authentication = "authentication.k8s.io";
const rule = (verbs: string[], apiGroup: string, resource: string, ...resourceNames: string[]) => ({
  verbs,
  apiGroups: [apiGroup],
  resources: [resource],
  resourceNames,
});

async function become(rules: readonly object[], headers: Record<string, string>, as: UserInfo = jane) {
  const { ask, grant } = accessServer();
  if (rules.length > 0) await grant(as, rules, true);
  const { status, body } = await ask("POST", whoAmI, review, { as, headers });
  return status === 201 ? body.status.userInfo : body.message;
}

describe("impersonation", () => {
  const admin = user("root", "system:masters");
  it.each<[string, Record<string, string>, object]>([
    ["a user", { "impersonate-user": "joe" }, { username: "joe", groups: ["system:authenticated"] }],
    [
      "a user in groups",
      { "impersonate-user": "joe", "impersonate-group": "a\nsystem:masters" },
      { username: "joe", groups: ["a", "system:masters", "system:authenticated"] },
    ],
    [
      "a service account, in the groups it is in",
      { "impersonate-user": "system:serviceaccount:blue:robot" },
      {
        username: "system:serviceaccount:blue:robot",
        groups: ["system:serviceaccounts", "system:serviceaccounts:blue", "system:authenticated"],
      },
    ],
    [
      "a node",
      { "impersonate-user": "system:node:n1" },
      { username: "system:node:n1", groups: ["system:nodes", "system:authenticated"] },
    ],
    [
      "a user in every detail",
      { "impersonate-user": "joe", "impersonate-uid": "7", "impersonate-extra-scope": "dev" },
      { username: "joe", uid: "7", groups: ["system:authenticated"], extra: { scope: ["dev"] } },
    ],
  ])("the administrator can impersonate %s", async (_, headers, expected) => {
    expect(await become([], headers, admin)).toEqual(expected);
  });

  it("the anonymous user is not in system:authenticated, and may do no more than other unauthenticated users", async () => {
    const { ask } = accessServer();
    const headers = { "impersonate-user": "system:anonymous" };
    expect((await ask("GET", "/apis", undefined, { headers })).body.message).toBe(
      'forbidden: User "system:anonymous" cannot get path "/apis"',
    );
    expect((await ask("GET", "/version", undefined, { headers })).status).toBe(200);
  });

  it("is refused with the message of the first mode that could have allowed it", async () => {
    const rules = [rule(["impersonate-on:user-info:create"], authentication, "selfsubjectreviews")];
    const cannot = 'is forbidden: User "jane" cannot';
    const nowhere = 'in API group "authentication.k8s.io" at the cluster scope';
    expect(await become([], { "impersonate-user": "joe" })).toBe(
      `selfsubjectreviews.${authentication} ${cannot} impersonate-on:user-info:create resource "selfsubjectreviews" ${nowhere}`,
    );
    expect(await become(rules, { "impersonate-user": "joe" })).toBe(
      `users.${authentication} "joe" ${cannot} impersonate:user-info resource "users" ${nowhere}`,
    );
    expect(await become([], { "impersonate-user": "system:serviceaccount:a:b" })).toContain(
      "impersonate-on:serviceaccount:create",
    );
    expect(await become([], { "impersonate-user": "system:node:n" })).toContain(
      "impersonate-on:arbitrary-node:create",
    );
  });

  it.each<[string, object[], Record<string, string>]>([
    [
      "the verb impersonate on the user",
      [rule(["impersonate"], "", "users", "joe")],
      { "impersonate-user": "joe" },
    ],
    [
      "the verb impersonate on user and groups",
      [rule(["impersonate"], "", "users"), rule(["impersonate"], "", "groups", "a", "b")],
      { "impersonate-user": "joe", "impersonate-group": "a\nb" },
    ],
    [
      "the verb impersonate on user, UID and extra fields",
      [
        rule(["impersonate"], "", "users"),
        rule(["impersonate"], authentication, "uids", "7"),
        rule(["impersonate"], authentication, "userextras/scope", "dev"),
      ],
      { "impersonate-user": "joe", "impersonate-uid": "7", "impersonate-extra-scope": "dev" },
    ],
    [
      "the constrained verbs for the user and for the action",
      [
        rule(["impersonate-on:user-info:create"], authentication, "selfsubjectreviews"),
        rule(["impersonate:user-info"], authentication, "users", "joe"),
        rule(["impersonate:user-info"], authentication, "userextras/example.org/team", "blue"),
      ],
      { "impersonate-user": "joe", "impersonate-extra-example.org%2fteam": "blue" },
    ],
    [
      "the constrained verbs for all groups",
      [
        rule(["impersonate-on:user-info:create"], authentication, "selfsubjectreviews"),
        rule(["impersonate:user-info"], authentication, "users"),
        rule(["impersonate:user-info"], authentication, "groups", "*"),
      ],
      { "impersonate-user": "joe", "impersonate-group": "a\nb\nc\nd" },
    ],
  ])("is allowed by %s", async (_, rules, headers) => {
    expect(await become(rules, headers)).toHaveProperty("username", "joe");
  });

  it.each<[string, Record<string, string>, string]>([
    [
      "the privileged group",
      { "impersonate-group": "system:masters" },
      "impersonating the system:masters group is not allowed",
    ],
    [
      "a group without a name",
      { "impersonate-group": "" },
      "impersonating the empty string group is not allowed",
    ],
    [
      "odd extra fields",
      { "impersonate-extra-scope": "x" },
      "impersonating an invalid key in extra is not allowed: extra.key: Invalid value",
    ],
    [
      "empty extra fields",
      { "impersonate-extra-a.b%2fc": "" },
      "impersonating the empty string value in extra is not allowed",
    ],
  ])("the constrained mode never allows %s", async (_, headers, text) => {
    const rules = [
      rule(["impersonate-on:user-info:create"], authentication, "selfsubjectreviews"),
      { verbs: ["impersonate:user-info"], apiGroups: [authentication], resources: ["*"] },
    ];
    expect(await become(rules, { "impersonate-user": "joe", ...headers })).toContain(text);
  });

  it("a pod can impersonate its own node, and no other", async () => {
    const agent: UserInfo = {
      ...user("system:serviceaccount:kube-system:agent"),
      extra: { "authentication.kubernetes.io/node-name": ["n1"] },
    };
    const rules = [
      rule(["impersonate-on:associated-node:create"], authentication, "selfsubjectreviews"),
      rule(["impersonate:associated-node"], authentication, "nodes"),
    ];
    expect(await become(rules, { "impersonate-user": "system:node:n1" }, agent)).toHaveProperty("username");
    expect(await become(rules, { "impersonate-user": "system:node:n2" }, agent)).toContain("arbitrary-node");
    const named = [rules[0] ?? {}, rule(["impersonate:associated-node"], authentication, "nodes", "n1")];
    expect(await become(named, { "impersonate-user": "system:node:n1" }, agent)).toContain(
      'nodes.authentication.k8s.io "*"',
    );
  });

  it("leaves the permissions of the impersonating user behind", async () => {
    const { ask, grant } = accessServer();
    await grant(jane, [rule(["impersonate"], "", "users"), rule(["list"], "", "pods")], true);
    const headers = { "impersonate-user": "joe" };
    const { status, body } = await ask("GET", "/api/v1/pods", undefined, { as: jane, headers });
    expect(status).toBe(403);
    expect(body.message).toContain('User "joe" cannot list resource "pods"');
  });

  it("tries first the mode that last worked for the user", async () => {
    const { ask, grant } = accessServer();
    await grant(jane, [rule(["impersonate"], "", "users", "joe")], true);
    const as = (name: string) =>
      ask("POST", whoAmI, review, { as: jane, headers: { "impersonate-user": name } });
    expect((await as("ann")).body.message).toContain("impersonate-on:user-info:create");
    expect((await as("joe")).status).toBe(201);
    expect((await as("ann")).body.message).toBe(
      'users "ann" is forbidden: User "jane" cannot impersonate resource "users" in API group "" at the cluster scope',
    );
  });

  it("requires a user name", async () => {
    const { ask } = accessServer();
    const { status, body } = await ask("GET", "/version", undefined, {
      headers: { "impersonate-group": "x" },
    });
    expect(status).toBe(400);
    expect(body.message).toBe(
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"x"}, Extra:map[string][]string(nil)} without impersonating a user name',
    );
  });
});
