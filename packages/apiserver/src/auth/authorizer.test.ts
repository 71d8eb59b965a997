import { describe, expect, it } from "vitest";
import { accessServer, user } from "./fixtures/access-server.js";

const jane = user("jane");
const pods = "/api/v1/namespaces/default/pods";

async function status(
  rules: readonly object[],
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  query?: string,
) {
  const { ask, grant } = accessServer();
  await grant(jane, rules);
  return (await ask(method, path, {}, { as: jane, query })).status;
}

const rule = (verbs: string[], resource: string, ...resourceNames: string[]) => ({
  verbs,
  apiGroups: [""],
  resources: [resource],
  resourceNames,
});

describe("RBAC decides on a request by", () => {
  it.each<[string, object, "GET" | "POST" | "DELETE", string, string | undefined, number]>([
    ["its verb", rule(["list"], "pods"), "GET", pods, undefined, 200],
    ["watching apart from listing", rule(["list"], "pods"), "GET", pods, "watch=1", 403],
    ["getting apart from listing", rule(["list"], "pods"), "GET", `${pods}/a`, undefined, 403],
    [
      "the name a selector demands",
      rule(["list"], "pods", "a"),
      "GET",
      pods,
      "fieldSelector=metadata.name%3Da",
      200,
    ],
    [
      "no name, where the selector only excludes one",
      rule(["list"], "pods", "a"),
      "GET",
      pods,
      "fieldSelector=metadata.name!%3Da",
      403,
    ],
    ["deleting all apart from deleting one", rule(["delete"], "pods"), "DELETE", pods, undefined, 403],
    ["the subresource", rule(["get"], "pods"), "GET", `${pods}/a/log`, undefined, 403],
    ["the method of a connection", rule(["create"], "pods/proxy"), "GET", `${pods}/a/proxy`, undefined, 403],
    [
      "running things as creating, however it is asked for",
      rule(["get"], "pods/exec"),
      "GET",
      `${pods}/a/exec`,
      undefined,
      403,
    ],
    [
      "the namespace it is about",
      rule(["get"], "namespaces"),
      "GET",
      "/api/v1/namespaces/default",
      undefined,
      200,
    ],
    [
      "the namespace it is not about",
      rule(["get"], "namespaces"),
      "GET",
      "/api/v1/namespaces/other",
      undefined,
      403,
    ],
  ])("%s", async (_, given, method, path, query, expected) => {
    expect(await status([given], method, path, query)).toBe(expected);
  });

  it.each([
    [
      "GET",
      `${pods}/a`,
      'pods "a" is forbidden: User "jane" cannot get resource "pods" in API group "" in the namespace "default"',
      { name: "a", kind: "pods" },
    ],
    [
      "GET",
      `${pods}/a/log`,
      'pods "a" is forbidden: User "jane" cannot get resource "pods/log" in API group "" in the namespace "default"',
      { name: "a", kind: "pods" },
    ],
    [
      "DELETE",
      "/apis/apps/v1/namespaces/x/deployments",
      'deployments.apps is forbidden: User "jane" cannot deletecollection resource "deployments" in API group "apps" in the namespace "x"',
      { group: "apps", kind: "deployments" },
    ],
    [
      "GET",
      "/api/v1/nodes",
      'nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope',
      { kind: "nodes" },
    ],
    ["GET", "/metrics", 'forbidden: User "jane" cannot get path "/metrics"', {}],
  ] as const)("refuses %s %s with kube-apiserver's message", async (method, path, message, details) => {
    const { ask } = accessServer();
    const { status: code, body } = await ask(method, path, undefined, { as: jane });
    expect(code).toBe(403);
    expect(body).toMatchObject({ message, reason: "Forbidden", details });
  });

  it("names the role that is missing", async () => {
    const { ask, rbac } = accessServer();
    await ask("POST", `${rbac}/clusterrolebindings`, {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "x" },
      roleRef: { kind: "ClusterRole", name: "gone" },
      subjects: [{ kind: "User", name: "jane" }],
    });
    const { body } = await ask("GET", pods, undefined, { as: jane });
    expect(body.message).toMatch(/: RBAC: clusterrole\.rbac\.authorization\.k8s\.io "gone" not found$/);
  });

  it("requires create for an update or apply that creates", async () => {
    const { ask, grant, rbac } = accessServer();
    await grant(jane, [{ verbs: ["update", "patch"], apiGroups: ["*"], resources: ["*"] }]);
    const path = `${rbac}/namespaces/default/roles/new`;
    const role = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name: "new" },
      rules: [],
    };
    const put = await ask("PUT", path, role, { as: jane });
    expect(put.status).toBe(403);
    expect(put.body.message).toBe('roles.rbac.authorization.k8s.io "new" is forbidden: ');
    const headers = { "content-type": "application/apply-patch+yaml" };
    const apply = await ask("PATCH", path, role, { as: jane, headers, query: "fieldManager=x" });
    expect(apply.status).toBe(403);
    await grant(jane, [{ verbs: ["create"], apiGroups: ["*"], resources: ["roles"] }]);
    expect((await ask("PUT", path, role, { as: jane })).status).toBe(201);
  });

  it('allows everyone everything with authorization "none"', async () => {
    const { ask } = accessServer({ authorization: "none" });
    expect((await ask("GET", "/api/v1/secrets", undefined, { as: jane })).status).toBe(200);
  });
});
