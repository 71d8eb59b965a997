import type { BuiltInKind } from "../built-in-kind.js";
import { clusterRoleBindings, roleBindings } from "./bindings.js";
import { clusterRoles, roles } from "./roles.js";

/** The kinds of role-based access control. */
export const rbacKinds: readonly BuiltInKind[] = [roles, clusterRoles, roleBindings, clusterRoleBindings];
