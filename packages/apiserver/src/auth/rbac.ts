// Role-based access control: the rules bound to a user, found in the store on every question.
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  Subject,
} from "@kubewright/api";
import type { UserInfo } from "../request/user.js";
import type { Storage } from "../storage/index.js";
import type { AccessQuestion, Authorizer } from "./authorizer.js";

const tables = {
  roles: "rbac.authorization.k8s.io/roles",
  clusterRoles: "rbac.authorization.k8s.io/clusterroles",
  roleBindings: "rbac.authorization.k8s.io/rolebindings",
  clusterRoleBindings: "rbac.authorization.k8s.io/clusterrolebindings",
} as const;

/** Rules granted to a user, and through which binding. */
export interface Grant {
  readonly rule: PolicyRule;
  readonly via: string;
}

/** Members of system:masters may do everything; others what their bindings say. */
export function rbacAuthorizer(storage: Storage): Authorizer {
  return (question) => {
    if (question.user.groups.includes("system:masters")) return { allowed: true, reason: "" };
    const namespace = question.kind === "resource" ? question.namespace : "";
    for (const { rule, via } of grantsOf(storage, question.user, namespace)) {
      if (ruleAllows(rule, question)) return { allowed: true, reason: `RBAC: allowed by ${via}` };
    }
    return { allowed: false, reason: "" };
  };
}

/** Every rule that holds for the user: cluster-wide, and in the namespace if one is given. */
export function* grantsOf(storage: Storage, user: UserInfo, namespace: string): Iterable<Grant> {
  for (const object of storage.list(tables.clusterRoleBindings, { prefix: "" })) {
    const binding = object as unknown as ClusterRoleBinding;
    const subject = binding.subjects?.find((candidate) => isSubject(candidate, user, ""));
    if (!subject) continue;
    const via = `ClusterRoleBinding ${JSON.stringify(object.metadata.name)} of ClusterRole ${JSON.stringify(binding.roleRef.name)} to ${describe(subject)}`;
    for (const rule of clusterRoleRules(storage, binding.roleRef.name)) yield { rule, via };
  }
  if (namespace === "") return;
  for (const object of storage.list(tables.roleBindings, { prefix: `${namespace}/` })) {
    const binding = object as unknown as RoleBinding;
    const subject = binding.subjects?.find((candidate) => isSubject(candidate, user, namespace));
    if (!subject) continue;
    const { kind, name } = binding.roleRef;
    const via = `RoleBinding ${JSON.stringify(`${object.metadata.name}/${namespace}`)} of ${kind} ${JSON.stringify(name)} to ${describe(subject)}`;
    const rules = kind === "Role" ? roleRules(storage, namespace, name) : clusterRoleRules(storage, name);
    for (const rule of rules) yield { rule, via };
  }
}

export function clusterRoleRules(storage: Storage, name: string): readonly PolicyRule[] {
  return (storage.get(tables.clusterRoles, name) as unknown as ClusterRole | undefined)?.rules ?? [];
}

export function roleRules(storage: Storage, namespace: string, name: string): readonly PolicyRule[] {
  return (storage.get(tables.roles, `${namespace}/${name}`) as unknown as Role | undefined)?.rules ?? [];
}

function describe({ kind, name, namespace }: Subject): string {
  return `${kind} ${JSON.stringify(namespace ? `${name}/${namespace}` : name)}`;
}

function isSubject(subject: Subject, user: UserInfo, namespace: string): boolean {
  switch (subject.kind) {
    case "User":
      return subject.name === user.name;
    case "Group":
      return user.groups.includes(subject.name);
    case "ServiceAccount":
      return user.name === `system:serviceaccount:${subject.namespace || namespace}:${subject.name}`;
    default:
      return false;
  }
}

/** Whether one rule covers what is asked. */
export function ruleAllows(rule: PolicyRule, question: AccessQuestion): boolean {
  if (!covers(rule.verbs, question.verb)) return false;
  if (question.kind === "path")
    return (rule.nonResourceURLs ?? []).some((pattern) => coversPath(pattern, question.path));
  const { group, resource, subresource, name } = question;
  const named = rule.resourceNames ?? [];
  return (
    covers(rule.apiGroups, group) &&
    coversResource(rule.resources ?? [], resource, subresource) &&
    (named.length === 0 || named.includes(name))
  );
}

const covers = (values: readonly string[] | undefined, value: string): boolean =>
  values?.some((candidate) => candidate === "*" || candidate === value) ?? false;

function coversResource(resources: readonly string[], resource: string, subresource: string): boolean {
  const wanted = subresource === "" ? resource : `${resource}/${subresource}`;
  return resources.some(
    (candidate) =>
      candidate === "*" || candidate === wanted || (subresource !== "" && candidate === `*/${subresource}`),
  );
}

const coversPath = (pattern: string, path: string): boolean =>
  pattern === "*" || pattern === path || (pattern.endsWith("*") && path.startsWith(pattern.slice(0, -1)));
