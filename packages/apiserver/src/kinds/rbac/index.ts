import type { NativeKind } from "../../registry/native-kinds.js";
import { clusterRoleBindings, roleBindings } from "./bindings.js";
import { clusterRoles, roles } from "./roles.js";

/** The kinds of role-based access control. */
export const rbacKinds: readonly NativeKind[] = [roles, clusterRoles, roleBindings, clusterRoleBindings];
