// Conditions of the common shape, which controllers report in a status.
import {
  type Condition,
  type FieldError,
  fieldError,
  patternText,
  utf8Length,
  validateQualifiedName,
} from "@kubewright/api";
import { checkEach } from "./check-each.js";
import { invalidBecause } from "./field-rules.js";

const statuses = ["False", "True", "Unknown"];
const maxReason = 1024;
const maxMessage = 32 * 1024;
const reasonPattern = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?";
const reason = new RegExp(`^${reasonPattern}$`);
const reasonText = patternText(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  reasonPattern,
  "my_name",
  "MY_NAME",
  "MyName",
  "ReasonA,ReasonB",
  "ReasonA:ReasonB",
);

/** All conditions of a status, one of each type. */
export function validateConditions(
  conditions: readonly Condition[] | undefined,
  field: string,
): FieldError[] {
  const seen = new Set<string>();
  return checkEach(conditions ?? [], (condition, index) => {
    const at = `${field}[${index}]`;
    const errors = seen.has(condition.type) ? [fieldError.duplicate(`${at}.type`, condition.type)] : [];
    seen.add(condition.type);
    return [...errors, ...conditionErrors(condition, at)];
  });
}

function conditionErrors(condition: Condition, field: string): FieldError[] {
  const { type, status, observedGeneration = 0, lastTransitionTime, message } = condition;
  const errors = invalidBecause(validateQualifiedName(type), type, `${field}.type`);
  if (!statuses.includes(status)) errors.push(fieldError.notSupported(`${field}.status`, status, statuses));
  if (observedGeneration < 0) {
    const text = "must be greater than or equal to zero";
    errors.push(fieldError.invalid(`${field}.observedGeneration`, observedGeneration, text));
  }
  if (!lastTransitionTime) errors.push(fieldError.required(`${field}.lastTransitionTime`));
  errors.push(...reasonErrors(condition.reason, `${field}.reason`));
  if (utf8Length(message ?? "") > maxMessage) errors.push(fieldError.tooLong(`${field}.message`, maxMessage));
  return errors;
}

function reasonErrors(value: string | undefined, field: string): FieldError[] {
  if (!value) return [fieldError.required(field)];
  const errors = reason.test(value) ? [] : [fieldError.invalid(field, value, reasonText)];
  return utf8Length(value) > maxReason ? [...errors, fieldError.tooLong(field, maxReason)] : errors;
}
