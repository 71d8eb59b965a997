// Audit policies: the rules that decide the audit level of a request, as kube-apiserver reads them.

import type { UserInfo } from "@kubewright/kinds";
import type { PathRequestInfo, ResourceRequestInfo } from "../request/request-info.js";

/** The request info, with the verb as in RBAC. */
export type AuditedInfo = PathRequestInfo | (Omit<ResourceRequestInfo, "verb"> & { readonly verb: string });

/** The audit levels; each includes those before it. */
export type AuditLevel = "None" | "Metadata" | "Request" | "RequestResponse";

/** The stages of a request at which an event may be recorded. */
export type AuditStage = "RequestReceived" | "ResponseStarted" | "ResponseComplete" | "Panic";

/** Resources of one API group. */
export interface GroupResources {
  readonly group?: string | undefined;
  /** `pods`, `pods/log`, `pods/*` (pods too), any `status`, `*`. Default: all of the group. */
  readonly resources?: readonly string[] | undefined;
  readonly resourceNames?: readonly string[] | undefined;
}

/** A rule of the audit policy. The first rule that matches a request decides. */
export interface AuditRule {
  readonly level: AuditLevel;
  readonly users?: readonly string[] | undefined;
  readonly userGroups?: readonly string[] | undefined;
  readonly verbs?: readonly string[] | undefined;
  readonly resources?: readonly GroupResources[] | undefined;
  /** The empty name stands for what is in no namespace. */
  readonly namespaces?: readonly string[] | undefined;
  /** Paths, with `*` at their end. */
  readonly nonResourceURLs?: readonly string[] | undefined;
  readonly omitStages?: readonly AuditStage[] | undefined;
  readonly omitManagedFields?: boolean | undefined;
}

/** `audit.k8s.io/v1` Policy. */
export interface AuditPolicy {
  readonly rules: readonly AuditRule[];
  readonly omitStages?: readonly AuditStage[] | undefined;
  readonly omitManagedFields?: boolean | undefined;
}

/** The policy that logs the metadata of every request. */
export const metadataOfAll: AuditPolicy = { rules: [{ level: "Metadata" }] };

/** The audit level and stages of one request. */
export interface AuditDecision {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

const nothing: AuditDecision = { level: "None", omitStages: new Set(), omitManagedFields: false };

/** The audit level of a request by the policy; the user is absent where the request is not authenticated. */
export function decide(policy: AuditPolicy, info: AuditedInfo, user: UserInfo | undefined): AuditDecision {
  const rule = policy.rules.find((each) => matches(each, info, user));
  if (!rule) return nothing;
  return {
    level: rule.level,
    omitStages: new Set([...(policy.omitStages ?? []), ...(rule.omitStages ?? [])]),
    omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields ?? false,
  };
}

function matches(rule: AuditRule, info: AuditedInfo, user: UserInfo | undefined): boolean {
  const { users, userGroups, verbs, resources, namespaces, nonResourceURLs } = rule;
  if (given(users) && !(user && users.includes(user.name))) return false;
  if (given(userGroups) && !user?.groups.some((group) => userGroups.includes(group))) return false;
  if (given(verbs) && !verbs.includes(info.verb)) return false;
  if (given(resources) || given(namespaces)) return matchesResource(rule, info);
  if (given(nonResourceURLs))
    return info.kind === "path" && nonResourceURLs.some((pattern) => matchesPath(pattern, info.path));
  return true;
}

function matchesResource({ resources, namespaces }: AuditRule, info: AuditedInfo): boolean {
  if (info.kind !== "resource") return false;
  if (given(namespaces) && !namespaces.includes(info.namespace ?? "")) return false;
  if (!given(resources)) return true;
  return resources.some((each) => (each.group ?? "") === info.group && includes(each, info));
}

function includes(
  { resources, resourceNames }: GroupResources,
  info: AuditedInfo & { readonly kind: "resource" },
): boolean {
  if (!given(resources)) return true;
  const { resource, subresource, name } = info;
  const whole = subresource === undefined ? resource : `${resource}/${subresource}`;
  const isNamed = !given(resourceNames) || resourceNames.includes(name ?? "");
  return (
    isNamed &&
    resources.some(
      (pattern) =>
        pattern === "*" ||
        pattern === whole ||
        pattern === `${resource}/*` ||
        (subresource !== undefined && pattern === `*/${subresource}`),
    )
  );
}

function matchesPath(pattern: string, path: string): boolean {
  return pattern.endsWith("*") ? path.startsWith(pattern.replace(/\*+$/, "")) : path === pattern;
}

const given = <T>(list: readonly T[] | undefined): list is readonly T[] =>
  list !== undefined && list.length > 0;
