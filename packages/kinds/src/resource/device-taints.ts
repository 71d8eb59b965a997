// Taints of devices, and requests that tolerate them.
import {
  type DeviceTaint,
  type DeviceToleration,
  type FieldError,
  fieldError,
  validateLabelValue,
  validateQualifiedName,
} from "@kubewright/api";
import { invalidBecause } from "../field-rules.js";

const effects = ["NoExecute", "NoSchedule", "None"];

/** Problems with a taint. */
export const validateDeviceTaint = ({ key, value, effect }: DeviceTaint, field: string): FieldError[] => [
  ...invalidBecause(validateQualifiedName(key), key, `${field}.key`),
  ...(value ? invalidBecause(validateLabelValue(value), value, `${field}.value`) : []),
  ...(effect ? effectErrors(effect, field) : [fieldError.required(`${field}.effect`)]),
];

/** Problems with a toleration. */
export const validateDeviceToleration = (
  { key, operator, value = "", effect }: DeviceToleration,
  field: string,
): FieldError[] => [
  ...(key ? invalidBecause(validateQualifiedName(key), key, `${field}.key`) : []),
  ...operatorErrors(operator ?? "", value, field),
  ...(effect ? effectErrors(effect, field) : []),
];

function operatorErrors(operator: string, value: string, field: string): FieldError[] {
  switch (operator) {
    case "Exists":
      return value === ""
        ? []
        : [fieldError.invalid(`${field}.value`, value, "must be empty for operator `Exists`")];
    case "Equal":
      return invalidBecause(validateLabelValue(value), value, `${field}.value`);
    case "":
      return [fieldError.required(`${field}.operator`)];
    default:
      return [fieldError.notSupported(`${field}.operator`, operator, ["Equal", "Exists"])];
  }
}

const effectErrors = (effect: string, field: string): FieldError[] =>
  effects.includes(effect) ? [] : [fieldError.notSupported(`${field}.effect`, effect, effects)];
