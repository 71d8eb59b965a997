// Validates matchResources of policies and bindings.
import {
  type FieldError,
  fieldError,
  type MatchResources,
  type NamedRuleWithOperations,
  validatePathSegmentName,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { invalidBecause, oneOf } from "../field-rules.js";
import { repeated } from "../repeated.js";
import { selectorErrors } from "../selector-errors.js";
import { validateRule } from "./validate-rule.js";

export function validateMatchResources(resources: MatchResources, field: string): FieldError[] {
  const { matchPolicy, namespaceSelector, objectSelector } = resources;
  return [
    ...oneOf(matchPolicy, ["Equivalent", "Exact"], `${field}.matchPolicy`),
    ...(namespaceSelector
      ? selectorErrors(namespaceSelector, `${field}.namespaceSelector`)
      : [fieldError.required(`${field}.namespaceSelector`)]),
    ...(objectSelector
      ? selectorErrors(objectSelector, `${field}.objectSelector`)
      : [fieldError.required(`${field}.objectSelector`)]),
    ...(["resourceRules", "excludeResourceRules"] as const).flatMap((part) =>
      checkEach(resources[part] ?? [], (rule, index) => namedRuleErrors(rule, `${field}.${part}[${index}]`)),
    ),
  ];
}

function namedRuleErrors(rule: NamedRuleWithOperations, field: string): FieldError[] {
  const names = rule.resourceNames ?? [];
  const repeats = repeated(names);
  return [
    ...checkEach(names, (name, index) => {
      const at = `${field}.resourceNames[${index}]`;
      const twice = repeats.has(index);
      return [
        ...invalidBecause(validatePathSegmentName(name), name, at),
        ...(twice ? [fieldError.duplicate(at, name)] : []),
      ];
    }),
    ...validateRule(rule, field),
  ];
}
