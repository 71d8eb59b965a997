// Taints keep pods off nodes; one of each key and effect.
import {
  type FieldError,
  fieldError,
  type Taint,
  validateLabelValue,
  validateQualifiedName,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { invalidBecause } from "../field-rules.js";

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function validateTaints(taints: readonly Taint[], field: string): FieldError[] {
  const seen = new Set<string>();
  return checkEach(taints, (taint, index) => {
    const at = `${field}[${index}]`;
    const id = `${taint.effect}/${taint.key}`;
    const errors = taintErrors(taint, at);
    if (seen.has(id)) errors.push(twice(taint, at));
    seen.add(id);
    return errors;
  });
}

function taintErrors({ key, value = "", effect }: Taint, field: string): FieldError[] {
  const wrongValue = validateLabelValue(value);
  const wrongEffect: string = effect;
  return [
    ...invalidBecause(validateQualifiedName(key), key, `${field}.key`),
    ...(wrongValue.length > 0 ? [fieldError.invalid(`${field}.value`, value, wrongValue.join(";"))] : []),
    ...(wrongEffect === "" ? [fieldError.required(`${field}.effect`)] : []),
    ...(wrongEffect === "" || effects.includes(effect)
      ? []
      : [fieldError.notSupported(`${field}.effect`, effect, effects)]),
  ];
}

function twice({ key, value = "", effect, timeAdded }: Taint, field: string): FieldError {
  const printed = { Key: key, Value: value, Effect: effect, TimeAdded: timeAdded ?? null };
  const error = fieldError.duplicate(field, printed);
  return { ...error, message: `${error.message}: taints must be unique by key and effect pair` };
}
