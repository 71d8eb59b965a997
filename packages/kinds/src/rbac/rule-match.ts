// Matches a rule of a role with the attributes of a request.
import type { PolicyRule } from "@kubewright/api";
import type { AccessQuestion } from "../access.js";

/** Verbs, and either a path or group, resource and name, must all be named or starred. */
export function ruleAllows(rule: PolicyRule, question: AccessQuestion): boolean {
  if (!covers(rule.verbs, question.verb)) return false;
  if (question.kind === "path")
    return rule.nonResourceURLs?.some((pattern) => coversPath(pattern, question.path)) ?? false;
  const { group, resource, subresource, name } = question;
  const names = rule.resourceNames;
  return (
    covers(rule.apiGroups, group) &&
    coversResource(rule.resources, resource, subresource) &&
    (!names || names.length === 0 || names.includes(name))
  );
}

const covers = (values: readonly string[] | undefined, value: string): boolean =>
  values !== undefined && (values.includes(value) || values.includes("*"));

function coversResource(
  resources: readonly string[] | undefined,
  resource: string,
  subresource: string,
): boolean {
  if (subresource === "") return covers(resources, resource);
  return (
    covers(resources, `${resource}/${subresource}`) || (resources?.includes(`*/${subresource}`) ?? false)
  );
}

/** A trailing star stands for anything. */
export const coversPath = (pattern: string, path: string): boolean =>
  pattern === path || (pattern.endsWith("*") && path.startsWith(pattern.replace(/\*+$/, "")));
