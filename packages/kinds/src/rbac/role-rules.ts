import type { ClusterRole, PolicyRule, RoleRef } from "@kubewright/api";
import type { ObjectReader } from "../strategy-context.js";

const group = "rbac.authorization.k8s.io";

/** The rules of the role that a binding refers to; undefined when there is no such role. */
export function roleRules(
  storage: ObjectReader,
  { kind, name }: RoleRef,
  namespace: string,
): readonly PolicyRule[] | undefined {
  const table = kind === "Role" ? `${group}/roles` : `${group}/clusterroles`;
  const role = storage.get(table, kind === "Role" ? `${namespace}/${name}` : name);
  return role && ((role as unknown as ClusterRole).rules ?? []);
}
