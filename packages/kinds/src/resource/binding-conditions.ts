// Conditions a device waits for before its pod is bound, and those that say it never will.
import { type FieldError, fieldError, validateQualifiedName } from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { invalidBecause } from "../field-rules.js";
import { repeated } from "../repeated.js";
import { validateList } from "./bounded-list.js";

const mostConditions = 4;

/** The binding fields of devices and of allocation results. */
export interface BindingParameters {
  readonly bindingConditions?: readonly string[] | undefined;
  readonly bindingFailureConditions?: readonly string[] | undefined;
}

/** Problems with them: either is there if the other is, and none is in both. */
export function validateBindingConditions(parameters: BindingParameters, field: string): FieldError[] {
  const { bindingConditions: wanted = [], bindingFailureConditions: failures = [] } = parameters;
  const [wantedField, failuresField] = [`${field}.bindingConditions`, `${field}.bindingFailureConditions`];
  const named = (name: string, at: string): FieldError[] =>
    invalidBecause(validateQualifiedName(name), name, at);
  const overlap = "bindingFailureConditions must not overlap with bindingConditions";
  return [
    ...validateList(wanted, mostConditions, wantedField, named),
    ...validateList(failures, mostConditions, failuresField, named),
    ...duplicates(wanted, wantedField),
    ...duplicates(failures, failuresField),
    ...checkEach(failures, (name, index) =>
      wanted.includes(name) ? [fieldError.invalid(`${failuresField}[${index}]`, name, overlap)] : [],
    ),
    ...needs(wanted, failures, "bindingConditions", "bindingFailureConditions", field),
    ...needs(failures, wanted, "bindingFailureConditions", "bindingConditions", field),
  ];
}

const duplicates = (names: readonly string[], field: string): FieldError[] =>
  [...repeated(names)].map((index) => fieldError.duplicate(`${field}[${index}]`, names[index]));

const needs = (
  missing: readonly string[],
  used: readonly string[],
  name: string,
  user: string,
  field: string,
): FieldError[] =>
  missing.length === 0 && used.length > 0
    ? [fieldError.invalid(`${field}.${name}`, null, `${name} are required to use ${user}`)]
    : [];
