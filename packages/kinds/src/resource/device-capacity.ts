// Validates the capacity of devices, and the request policies that divide it.
import {
  Amount,
  type CapacityRequestPolicy,
  type CapacityRequestPolicyRange,
  type DeviceCapacity,
  type FieldError,
  fieldError,
  type Quantity,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { validateSet } from "./bounded-list.js";

const mostValues = 10;

/** Problems with one capacity; only devices that several may share are given out in portions. */
export function validateDeviceCapacity(
  { value, requestPolicy }: DeviceCapacity,
  shared: boolean,
  field: string,
): FieldError[] {
  const at = `${field}.requestPolicy`;
  if (!requestPolicy) return [];
  if (!shared) return [fieldError.forbidden(at, "allowMultipleAllocations must be true")];
  return policyErrors(requestPolicy, Amount.parse(value), at);
}

function policyErrors(policy: CapacityRequestPolicy, most: Amount, field: string): FieldError[] {
  const { validValues = [], validRange } = policy;
  const usual =
    policy.default === undefined || policy.default === null ? undefined : Amount.parse(policy.default);
  if (validValues.length > 0 && validRange) {
    const text =
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time';
    return [fieldError.forbidden(field, text)];
  }
  const missing = (name: string): FieldError[] => [
    fieldError.required(`${field}.default`, `required when ${name} is defined`),
  ];
  if (validValues.length > 0)
    return usual ? valueErrors(validValues, usual, most, `${field}.validValues`) : missing("validValues");
  if (!validRange) return [];
  return usual ? rangeErrors(validRange, usual, most, `${field}.validRange`) : missing("validRange");
}

function valueErrors(values: readonly Quantity[], usual: Amount, most: Amount, field: string): FieldError[] {
  const amounts = values.map((value) => Amount.parse(value));
  const unsorted = checkEach(amounts, (amount, index) => {
    const before = amounts[index - 1];
    return before && before.compare(amount) > 0
      ? [
          fieldError.invalid(
            `${field}[${index}]`,
            amount.toString(),
            "values must be sorted in ascending order",
          ),
        ]
      : [];
  });
  const tooLarge = (amount: Amount, at: string): FieldError[] =>
    amount.compare(most) > 0
      ? [fieldError.invalid(at, amount.toString(), `option is larger than capacity value: ${most}`)]
      : [];
  const known = amounts.length <= mostValues && amounts.some((amount) => amount.compare(usual) === 0);
  const unknownText = "default value is not valid according to the requestPolicy";
  return [
    ...unsorted,
    ...validateSet(amounts, mostValues, field, tooLarge, (amount) => String(amount.value())),
    ...(known ? [] : [fieldError.invalid(field, usual.toString(), unknownText)]),
  ];
}

function rangeErrors(
  range: CapacityRequestPolicyRange,
  usual: Amount,
  most: Amount,
  field: string,
): FieldError[] {
  if (range.min === undefined)
    return [fieldError.required(`${field}.min`, "required when validRange is defined")];
  const low = Amount.parse(range.min);
  const high = range.max === undefined ? undefined : Amount.parse(range.max);
  const step = range.step === undefined ? undefined : Amount.parse(range.step);
  const wrong = (name: string, shown: Amount, text: string): FieldError =>
    fieldError.invalid(`${field}.${name}`, shown.toString(), text);
  const errors: FieldError[] = [];
  if (low.compare(most) > 0) errors.push(wrong("min", low, `min is larger than capacity value: ${most}`));
  if (usual.compare(low) < 0) errors.push(wrong("default", usual, `default is less than min: ${low}`));
  if (high) {
    if (low.compare(high) > 0) errors.push(wrong("max", low, `min is larger than max: ${high}`));
    if (high.compare(most) > 0) errors.push(wrong("max", high, `max is larger than capacity value: ${most}`));
    if (usual.compare(high) > 0) errors.push(wrong("default", usual, `default is more than max: ${high}`));
  }
  if (!step) return errors;
  if (step.sign() <= 0) return [...errors, wrong("step", step, "must be greater than zero")];
  const next = low.add(step);
  if (next.compare(most) > 0)
    errors.push(wrong("step", step, `one step ${next} is larger than capacity value: ${most}`));
  return [
    ...errors,
    ...[usual, ...(high ? [high] : [])].flatMap((amount) => stepErrors(amount, low, step, field)),
  ];
}

function stepErrors(amount: Amount, low: Amount, step: Amount, field: string): FieldError[] {
  const size = step.value();
  if (size === 0n || (amount.value() - low.value()) % size === 0n) return [];
  const text = `value is not a multiple of a given step (${step}) from (${low})`;
  return [fieldError.invalid(`${field}.step`, amount.toString(), text)];
}
