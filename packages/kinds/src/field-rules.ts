// Checks that fields of many kinds share, with the texts Kubernetes gives them.
import {
  deepEqual,
  type FieldError,
  fieldError,
  validateDns1123Label,
  validateDns1123Subdomain,
  validatePercent,
} from "@kubewright/api";

/** The text for a number below zero. */
export const negativeText = "must be greater than or equal to 0";

/** An error of type Invalid for each of the messages that a name or value check returned. */
export const invalidBecause = (texts: readonly string[], value: unknown, field: string): FieldError[] =>
  texts.map((text) => fieldError.invalid(field, value, text));

/** A number that may be absent but not negative. */
export const notNegative = (value: number | null | undefined, field: string): FieldError[] =>
  value !== undefined && value !== null && value < 0 ? [fieldError.invalid(field, value, negativeText)] : [];

/** A field that keeps the value it was created with; `shown` is what the message prints. */
export const immutable = (
  now: unknown,
  before: unknown,
  field: string,
  shown: unknown = now,
): FieldError[] =>
  deepEqual(now, before) ? [] : [fieldError.invalid(field, shown ?? null, "field is immutable")];

/** One of a few words; an empty one is reported as missing. */
export function oneOf(value: string | undefined, supported: readonly string[], field: string): FieldError[] {
  if (value === undefined || value === "") return [fieldError.required(field)];
  return supported.includes(value) ? [] : [fieldError.notSupported(field, value, supported)];
}

/** One of a few words, where there is any. */
export const oneOfIfSet = (
  value: string | undefined,
  supported: readonly string[],
  field: string,
): FieldError[] =>
  value === undefined || supported.includes(value) ? [] : [fieldError.notSupported(field, value, supported)];

/** A value that must be there. */
export const requiredText = (value: string | undefined, field: string): FieldError[] =>
  value ? [] : [fieldError.required(field)];

/** A DNS label that must be there. */
export const requiredLabel = (value: string | undefined, field: string): FieldError[] =>
  value ? invalidBecause(validateDns1123Label(value), value, field) : [fieldError.required(field)];

/** The name of another object, which must be there. */
export const requiredSubdomain = (value: string | undefined, field: string): FieldError[] =>
  value ? invalidBecause(validateDns1123Subdomain(value), value, field) : [fieldError.required(field)];

/** The name of another object, where there is any. */
export const subdomainIfSet = (value: string | undefined, field: string): FieldError[] =>
  value ? invalidBecause(validateDns1123Subdomain(value), value, field) : [];

/** A whole number that is not negative, or a percentage. */
export function intOrPercent(value: number | string, field: string): FieldError[] {
  if (typeof value === "number") return notNegative(value, field);
  return invalidBecause(validatePercent(value), value, field);
}

/** A percentage may not exceed 100; whole numbers may be anything. */
export function atMostAllOfThem(value: number | string, field: string): FieldError[] {
  const tooMuch = typeof value === "string" && validatePercent(value).length === 0 && amountOf(value) > 100;
  return tooMuch ? [fieldError.invalid(field, value, "must not be greater than 100%")] : [];
}

/** The number, or that before the percent sign; 0 for anything else. */
export function amountOf(value: number | string | undefined): number {
  if (typeof value === "number") return value;
  return value !== undefined && /^[0-9]+%?$/.test(value) ? Number.parseInt(value, 10) : 0;
}
