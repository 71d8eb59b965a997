// Validates the rules of roles.
import { type FieldError, fieldError, type PolicyRule } from "@kubewright/api";
import { checkEach } from "../check-each.js";

/** The errors of the rules; those of a namespaced role cannot contain non-resource URLs. */
export function validateRules(
  rules: readonly PolicyRule[] | null | undefined,
  namespaced: boolean,
): FieldError[] {
  return checkEach(rules ?? [], (rule, index) => validateRule(rule, namespaced, `rules[${index}]`));
}

function validateRule(rule: PolicyRule, namespaced: boolean, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const need = (values: readonly string[] | null | undefined, name: string, text: string): void => {
    if (!values?.length) errors.push(fieldError.required(`${field}.${name}`, text));
  };
  need(rule.verbs, "verbs", "verbs must contain at least one value");
  const paths = rule.nonResourceURLs ?? [];
  if (paths.length === 0) {
    need(rule.apiGroups, "apiGroups", "resource rules must supply at least one api group");
    need(rule.resources, "resources", "resource rules must supply at least one resource");
    return errors;
  }
  const refuse = (text: string) => errors.push(fieldError.invalid(`${field}.nonResourceURLs`, paths, text));
  if (namespaced) refuse("namespaced rules cannot apply to non-resource URLs");
  if (rule.apiGroups?.length || rule.resources?.length || rule.resourceNames?.length)
    refuse("rules cannot apply to both regular resources and non-resource URLs");
  return errors;
}
