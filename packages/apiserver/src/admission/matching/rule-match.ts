// Matches a request with one rule of a webhook or policy.
import type { RuleWithOperations } from "@kubewright/api";
import type { AdmissionRequest } from "../../registry/admission-control.js";
import type { AdmissionTarget } from "./admission-target.js";

/** The attributes that a rule matches. */
export interface RuleSubject {
  readonly operation: AdmissionRequest["operation"];
  readonly target: Pick<AdmissionTarget, "resource" | "subresource">;
  /** The namespace of the request; a namespace is in itself. */
  readonly namespace: string;
}

/** Scope, operation, group, version and resource must all be named or starred. */
export function ruleMatches(
  rule: RuleWithOperations,
  { operation, target, namespace }: RuleSubject,
): boolean {
  const { resource, subresource } = target;
  return (
    inScope(rule.scope ?? "*", target, namespace) &&
    names(rule.operations, operation) &&
    names(rule.apiGroups, resource.group) &&
    names(rule.apiVersions, resource.version) &&
    (rule.resources ?? []).some((pattern) => namesResource(pattern, resource.resource, subresource))
  );
}

function inScope(
  scope: NonNullable<RuleWithOperations["scope"]>,
  { resource }: RuleSubject["target"],
  namespace: string,
): boolean {
  if (scope === "*") return true;
  const isNamespace =
    resource.group === "" && resource.version === "v1" && resource.resource === "namespaces";
  return scope === (namespace === "" || isNamespace ? "Cluster" : "Namespaced");
}

const names = (values: readonly string[] | undefined, value: string): boolean =>
  values?.some((candidate) => candidate === "*" || candidate === value) ?? false;

/** `pods`, `pods/status`, `pods/*`, `*`, `*` + `/scale`, `*` + `/*`: without a slash it means no subresource. */
function namesResource(pattern: string, resource: string, subresource: string): boolean {
  const slash = pattern.indexOf("/");
  const main = slash === -1 ? pattern : pattern.slice(0, slash);
  const sub = slash === -1 ? "" : pattern.slice(slash + 1);
  return (main === "*" || main === resource) && (sub === "*" || sub === subresource);
}
