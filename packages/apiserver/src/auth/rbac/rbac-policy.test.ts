import type { RoleRef, Subject } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { MemoryStorage } from "../../storage/index.js";
import { user } from "../fixtures/access-server.js";
import { RbacPolicy } from "./rbac-policy.js";

const group = "rbac.authorization.k8s.io";
const apiVersion = `${group}/v1`;

function policy() {
  const storage = new MemoryStorage();
  const rbac = new RbacPolicy(storage);
  const put = (resource: string, kind: string, key: string, fields: object) => {
    const [name = "", namespace] = key.split("/").reverse();
    const metadata = { name, uid: key, ...(namespace ? { namespace } : {}) };
    storage.put(`${group}/${resource}`, key, { apiVersion, kind, metadata, ...fields }, "any");
  };
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
  const bind = (key: string, roleRef: Omit<RoleRef, "apiGroup">, ...subjects: Subject[]) => {
    const scoped = key.includes("/");
    const kind = scoped ? "RoleBinding" : "ClusterRoleBinding";
    put(`${kind.toLowerCase()}s`, kind, key, { roleRef: { apiGroup: group, ...roleRef }, subjects });
  };
  const mayGetPods = (name: string, groups: string[], namespace: string) =>
    rbac.authorize({
      kind: "resource",
      user: { name, groups },
      verb: "get",
      group: "",
      version: "v1",
      resource: "pods",
      subresource: "",
      namespace,
      name: "",
    });
  put("clusterroles", "ClusterRole", "reader", { rules });
  put("roles", "Role", "blue/local", { rules });
  return { storage, rbac, bind, put, mayGetPods };
}

const clusterRole = { kind: "ClusterRole", name: "reader" };

describe("RBAC", () => {
  it("denies without a binding, and allows by one for the user, a group or a service account", () => {
    const { bind, mayGetPods } = policy();
    expect(mayGetPods("jane", [], "blue")).toEqual({ allowed: false, reason: "" });
    bind("all", clusterRole, { kind: "Group", name: "staff" }, { kind: "User", name: "jane" });
    bind("blue/robots", clusterRole, { kind: "ServiceAccount", name: "robot" });
    expect(mayGetPods("jane", ["staff"], "")).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by ClusterRoleBinding "all" of ClusterRole "reader" to Group "staff"',
    });
    expect(mayGetPods("jane", [], "red").reason).toContain('to User "jane"');
    expect(mayGetPods("system:serviceaccount:blue:robot", [], "blue").reason).toBe(
      'RBAC: allowed by RoleBinding "robots/blue" of ClusterRole "reader" to ServiceAccount "robot/blue"',
    );
    expect(mayGetPods("system:serviceaccount:blue:robot", [], "red").allowed).toBe(false);
  });

  it("follows every change of bindings and roles", () => {
    const { storage, bind, put, mayGetPods } = policy();
    bind("blue/one", { kind: "Role", name: "local" }, { kind: "User", name: "jane" });
    expect(mayGetPods("jane", [], "blue").allowed).toBe(true);
    bind("blue/one", { kind: "Role", name: "local" }, { kind: "User", name: "joe" });
    expect(mayGetPods("jane", [], "blue").allowed).toBe(false);
    expect(mayGetPods("joe", [], "blue").allowed).toBe(true);
    put("roles", "Role", "blue/local", { rules: null });
    expect(mayGetPods("joe", [], "blue").allowed).toBe(false);
    storage.delete(`${group}/rolebindings`, "blue/one", "any");
    expect(mayGetPods("joe", [], "blue")).toEqual({ allowed: false, reason: "" });
  });

  it("knows bindings and roles that were stored before it started", () => {
    const { storage, bind } = policy();
    bind("all", clusterRole, { kind: "User", name: "jane" });
    expect(new RbacPolicy(storage).rulesFor(user("jane"), "").rules).toHaveLength(1);
  });

  it("names bound roles that do not exist", () => {
    const { rbac, bind, mayGetPods } = policy();
    const jane = { kind: "User", name: "jane" };
    bind("all", { kind: "ClusterRole", name: "gone" }, jane);
    expect(mayGetPods("jane", [], "").reason).toBe(`RBAC: clusterrole.${group} "gone" not found`);
    bind("blue/one", { kind: "Role", name: "gone" }, jane);
    expect(mayGetPods("jane", [], "blue").reason).toBe(
      `RBAC: [clusterrole.${group} "gone" not found, role.${group} "gone" not found]`,
    );
    expect(rbac.rulesFor(user("jane"), "blue").missing).toHaveLength(2);
  });

  it("reports a binding once, however often it applies", () => {
    const { rbac, bind } = policy();
    bind(
      "all",
      clusterRole,
      { kind: "Group", name: "a" },
      { kind: "Group", name: "b" },
      { kind: "User", name: "jane" },
    );
    expect(rbac.rulesFor({ name: "jane", groups: ["b", "a"] }, "").rules).toHaveLength(1);
  });

  it("allows system:masters everything", () => {
    expect(policy().mayGetPods("root", ["system:masters"], "blue")).toEqual({ allowed: true, reason: "" });
  });
});
