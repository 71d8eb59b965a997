// The node selectors of a pod's affinity: requirements on labels and on the name of a node.
import {
  type FieldError,
  fieldError,
  type NodeAffinity,
  type NodeSelectorRequirement,
  type NodeSelectorTerm,
  validateDns1123Subdomain,
  validateLabelValue,
  validateQualifiedName,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { invalidBecause } from "../field-rules.js";

/** Required terms are checked strictly; preferred ones may hold values no label can have. */
export function validateNodeAffinity(affinity: NodeAffinity, field: string): FieldError[] {
  const required = affinity.requiredDuringSchedulingIgnoredDuringExecution;
  const preferred = affinity.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const at = `${field}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`;
  return [
    ...(required ? validateNodeTerms(required.nodeSelectorTerms ?? [], at) : []),
    ...checkEach(preferred, ({ weight, preference }, index) => {
      const item = `${field}.preferredDuringSchedulingIgnoredDuringExecution[${index}]`;
      return [
        ...validateWeight(weight, `${item}.weight`),
        ...termErrors(preference, false, `${item}.preference`),
      ];
    }),
  ];
}

/** Terms of which one must hold. */
export function validateNodeTerms(terms: readonly NodeSelectorTerm[], field: string): FieldError[] {
  if (terms.length === 0) return [fieldError.required(field, "must have at least one node selector term")];
  return checkEach(terms, (term, index) => termErrors(term, true, `${field}[${index}]`));
}

/** How much a preference counts. */
export const validateWeight = (weight: number, field: string): FieldError[] =>
  weight >= 1 && weight <= 100 ? [] : [fieldError.invalid(field, weight, "must be in the range 1-100")];

function termErrors(
  { matchExpressions, matchFields }: NodeSelectorTerm,
  strict: boolean,
  field: string,
): FieldError[] {
  return [
    ...checkEach(matchExpressions ?? [], (requirement, index) =>
      requirementErrors(requirement, strict, `${field}.matchExpressions[${index}]`),
    ),
    ...checkEach(matchFields ?? [], (requirement, index) =>
      fieldRequirementErrors(requirement, `${field}.matchFields[${index}]`),
    ),
  ];
}

function requirementErrors(
  requirement: NodeSelectorRequirement,
  strict: boolean,
  field: string,
): FieldError[] {
  const { key, values = [] } = requirement;
  return [
    ...operatorErrors(requirement.operator, values, field),
    ...invalidBecause(validateQualifiedName(key), key, `${field}.key`),
    ...checkEach(strict ? values : [], (value, index) =>
      invalidBecause(validateLabelValue(value), value, `${field}.values[${index}]`),
    ),
  ];
}

function operatorErrors(operator: string, values: readonly string[], field: string): FieldError[] {
  const at = `${field}.values`;
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length > 0) return [];
      return [fieldError.required(at, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist":
      if (values.length === 0) return [];
      return [fieldError.forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case "Gt":
    case "Lt":
      if (values.length === 1) return [];
      return [fieldError.required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [fieldError.invalid(`${field}.operator`, operator, "not a valid selector operator")];
  }
}

/** The only field of a node that can be selected is its name. */
function fieldRequirementErrors(requirement: NodeSelectorRequirement, field: string): FieldError[] {
  const { key, values = [] } = requirement;
  const operator: string = requirement.operator;
  const errors: FieldError[] = [];
  if (operator !== "In" && operator !== "NotIn")
    errors.push(fieldError.invalid(`${field}.operator`, operator, "not a valid selector operator"));
  else if (values.length !== 1) {
    const text = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(fieldError.required(`${field}.values`, text));
  }
  if (key !== "metadata.name")
    return [...errors, fieldError.invalid(`${field}.key`, key, "not a valid field selector key")];
  return [
    ...errors,
    ...checkEach(values, (value, index) =>
      invalidBecause(validateDns1123Subdomain(value), value, `${field}.values[${index}]`),
    ),
  ];
}
