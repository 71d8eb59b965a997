// Validates the status of PersistentVolumeClaims.
import {
  Amount,
  type FieldError,
  fieldError,
  type PersistentVolumeClaim,
  validateQualifiedName,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { invalidBecause } from "../field-rules.js";
import { validateQuantity } from "../pod/validate-resources.js";

const resizeStates = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
  "NodeResizePending",
];

/** Problems with the status of a claim. */
export function validateClaimStatus({ spec, status = {} }: PersistentVolumeClaim): FieldError[] {
  const { capacity = {}, allocatedResources = {}, allocatedResourceStatuses = {} } = status;
  return [
    ...((spec?.accessModes ?? []).length === 0 ? [fieldError.required("Spec.accessModes")] : []),
    ...checkEach(Object.entries(capacity), ([name, quantity]) =>
      negativeErrors(Amount.parse(quantity), `status.capacity[${name}]`),
    ),
    ...checkEach(Object.entries(allocatedResourceStatuses), ([name, state]) => resizeErrors(name, state)),
    ...checkEach(Object.entries(allocatedResources), ([name, quantity]) =>
      allocationErrors(name, Amount.parse(quantity)),
    ),
  ];
}

const negativeErrors = (amount: Amount, field: string): FieldError[] =>
  amount.value() < 0n
    ? [fieldError.invalid(field, Number(amount.value()), "must be a valid resource quantity")]
    : [];

function resizeErrors(name: string, state: string): FieldError[] {
  const field = "status.allocatedResourceStatuses";
  return [
    ...resourceErrors(name, field),
    ...(resizeStates.includes(state) ? [] : [fieldError.notSupported(field, name, resizeStates)]),
  ];
}

function allocationErrors(name: string, amount: Amount): FieldError[] {
  const field = "status.allocatedResources";
  const at = `${field}[${name}]`;
  const ofName = resourceErrors(name, field);
  if (ofName.length > 0) return ofName;
  const negative = negativeErrors(amount, at);
  return negative.length > 0 ? negative : validateQuantity("storage", amount, at);
}

/** Of Kubernetes' own resources, a volume has storage only. */
function resourceErrors(name: string, field: string): FieldError[] {
  const malformed = invalidBecause(validateQualifiedName(name), name, field);
  if (malformed.length > 0) return malformed;
  const isNative = !name.includes("/") || name.includes("kubernetes.io/");
  return isNative && name !== "storage" ? [fieldError.notSupported(field, name, ["storage"])] : [];
}
