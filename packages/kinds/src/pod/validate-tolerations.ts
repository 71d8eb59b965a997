// Validates tolerations.
import {
  deepEqual,
  type FieldError,
  fieldError,
  type Toleration,
  validateLabelValue,
  validateQualifiedName,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { invalidBecause } from "../field-rules.js";

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/** All tolerations of a pod. */
export function validateTolerations(
  tolerations: readonly Toleration[] | undefined,
  field: string,
): FieldError[] {
  return checkEach(tolerations ?? [], (toleration, index) =>
    tolerationErrors(toleration, `${field}[${index}]`),
  );
}

function tolerationErrors(toleration: Toleration, field: string): FieldError[] {
  const { key, effect, tolerationSeconds } = toleration;
  const operator: string = toleration.operator ?? "";
  const errors = key ? invalidBecause(validateQualifiedName(key), key, `${field}.key`) : [];
  if (!key && operator !== "Exists") {
    const text = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(fieldError.invalid(`${field}.operator`, operator, text));
  }
  if (tolerationSeconds !== undefined && effect !== "NoExecute") {
    const text = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    errors.push(fieldError.invalid(`${field}.effect`, effect ?? "", text));
  }
  errors.push(...operatorErrors(operator, toleration.value ?? "", `${field}.operator`));
  if (effect && !effects.includes(effect))
    errors.push(fieldError.notSupported(`${field}.effect`, effect, effects));
  return errors;
}

function operatorErrors(operator: string, value: string, field: string): FieldError[] {
  if (operator === "" || operator === "Equal") {
    const texts = validateLabelValue(value);
    return texts.length === 0 ? [] : [fieldError.invalid(field, value, texts.join(";"))];
  }
  // Comparisons are known, and behind a closed gate.
  if (operator === "Lt" || operator === "Gt")
    return [fieldError.notSupported(field, operator, ["Equal", "Exists", "Lt", "Gt"])];
  if (operator !== "Exists") return [fieldError.notSupported(field, operator, ["Equal", "Exists"])];
  return value ? [fieldError.invalid(field, value, "value must be empty when `operator` is 'Exists'")] : [];
}

/** A running pod may get more tolerations; those it has may only change their time. */
export function validateAddedTolerations(
  now: readonly Toleration[],
  before: readonly Toleration[],
  field: string,
): FieldError[] {
  const kept = before.every((old) =>
    now.some((toleration) =>
      deepEqual({ ...old, tolerationSeconds: undefined }, { ...toleration, tolerationSeconds: undefined }),
    ),
  );
  if (kept) return validateTolerations(now, field);
  return [
    fieldError.forbidden(field, "existing toleration can not be modified except its tolerationSeconds"),
  ];
}
