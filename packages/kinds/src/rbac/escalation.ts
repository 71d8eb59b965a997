// Privilege escalation: a user who writes a role or a binding must hold all permissions it grants, unless
// they are explicitly allowed to do more (`escalate` on roles, `bind` on the role that is bound).
import { aggregateErrors, deepEqual, goQuote, type PolicyRule, type RoleRef } from "@kubewright/api";
import { isPrivileged } from "../access.js";
import { forbidden, notFound } from "../failures.js";
import { goStrings } from "../go-strings.js";
import type { DraftObject, StoredObject } from "../objects.js";
import type { StrategyContext } from "../strategy-context.js";
import { roleRules } from "./role-rules.js";
import { describeRule, uncoveredRules } from "./rule-cover.js";

export const rbacGroup = "rbac.authorization.k8s.io";

/** The rules of cluster-admin, which a user needs to set an aggregation rule. */
const fullAuthority: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

/** Throws 403 when the role gives more than the user of the request holds. */
export function confirmRole(
  context: StrategyContext,
  resource: "roles" | "clusterroles",
  role: DraftObject,
  old: StoredObject | undefined,
): void {
  if (mayEscalate(context, resource) || onlyLifetimeChanges(role, old)) return;
  confirmGrant(context, resource, role, rulesOf(role));
  if (!hasAggregation(role) && !(old && hasAggregation(old))) return;
  if (uncoveredRules(heldRules(context).rules, fullAuthority).length === 0) return;
  const name = role.metadata.name ?? "";
  const text = "must have cluster-admin privileges to use the aggregationRule";
  throw forbidden({ group: rbacGroup, resource, name }, text);
}

/** Throws 403 when the bound role gives more than the user of the request holds. */
export function confirmBinding(
  context: StrategyContext,
  resource: "rolebindings" | "clusterrolebindings",
  binding: DraftObject,
  roleRef: RoleRef,
  old: StoredObject | undefined,
): void {
  if (isPrivileged(context.user) || onlyLifetimeChanges(binding, old)) return;
  const { namespace } = context.requested;
  if (mayBind(context, roleRef, namespace)) return;
  const rules = roleRules(context.storage, roleRef, namespace);
  if (!rules) throw notFound({ group: rbacGroup, resource: rolesOf(roleRef), name: roleRef.name });
  confirmGrant(context, resource, binding, rules);
}

function mayEscalate({ authorizer, user, requested }: StrategyContext, resource: string): boolean {
  if (isPrivileged(user)) return true;
  const question = { kind: "resource", user, verb: "escalate", group: rbacGroup, version: "*" } as const;
  return authorizer({ ...question, resource, subresource: "", ...requested }).allowed;
}

function mayBind({ authorizer, user }: StrategyContext, roleRef: RoleRef, namespace: string): boolean {
  if (roleRef.kind !== "Role" && roleRef.kind !== "ClusterRole") return false;
  const { allowed } = authorizer({
    kind: "resource",
    user,
    verb: "bind",
    group: roleRef.apiGroup ?? "",
    version: "*",
    resource: rolesOf(roleRef),
    subresource: "",
    namespace,
    name: roleRef.name,
  });
  return allowed;
}

function confirmGrant(
  context: StrategyContext,
  resource: string,
  object: DraftObject,
  granted: readonly PolicyRule[],
): void {
  const { user } = context;
  const { rules, missing } = heldRules(context);
  const uncovered = uncoveredRules(rules, granted);
  if (uncovered.length === 0) return;
  const list = [...new Set(uncovered.map(describeRule))].sort().join("\n");
  const who = `user ${goQuote(user.name)} (groups=${goStrings(user.groups)})`;
  const unresolved = missing.map((ref) => `${rolesOf(ref)}.${rbacGroup} "${ref.name}" not found`);
  const why = unresolved.length === 0 ? "" : `; resolution errors: [${aggregateErrors(unresolved)}]`;
  throw forbidden(
    { group: rbacGroup, resource, name: object.metadata.name ?? "" },
    `${who} is attempting to grant RBAC permissions not currently held:\n${list}${why}`,
  );
}

const heldRules = ({ rulesFor, user, requested }: StrategyContext) => rulesFor(user, requested.namespace);

const rolesOf = ({ kind }: RoleRef): string => (kind === "Role" ? "roles" : "clusterroles");

/** Not validated yet: a rule may still lack verbs. */
function rulesOf(role: DraftObject): readonly PolicyRule[] {
  const rules = role["rules"] as
    | readonly (PolicyRule & { verbs: readonly string[] | null })[]
    | null
    | undefined;
  return (rules ?? []).map((rule) => ({ ...rule, verbs: rule.verbs ?? [] }));
}

function hasAggregation(role: DraftObject | StoredObject): boolean {
  const rule = role["aggregationRule"] as { clusterRoleSelectors?: readonly unknown[] } | undefined;
  return (rule?.clusterRoleSelectors?.length ?? 0) > 0;
}

/** Owners and finalizers are the garbage collector's business, which need not hold what it cleans up. */
function onlyLifetimeChanges(object: DraftObject, old: StoredObject | undefined): boolean {
  return old !== undefined && deepEqual(withoutLifetime(object), withoutLifetime(old));
}

function withoutLifetime(object: DraftObject | StoredObject): unknown {
  const {
    ownerReferences: _owners,
    finalizers: _finalizers,
    managedFields: _managed,
    ...metadata
  } = object.metadata;
  return { ...object, metadata };
}
