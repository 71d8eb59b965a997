// Numbers a controller reports: never negative, and none above the number it is a part of.
import { type FieldError, fieldError } from "@kubewright/api";
import { notNegative } from "../field-rules.js";

type Counts = Readonly<Record<string, unknown>>;

const numberOf = (status: Counts, name: string): number => {
  const value = status[name];
  return typeof value === "number" ? value : 0;
};

/** Every one of the fields is zero or more. */
export const validateCounts = (status: object, names: readonly string[], field = "status"): FieldError[] =>
  names.flatMap((name) => notNegative(numberOf(status as Counts, name), `${field}.${name}`));

/** None of the fields exceeds the whole; `of` is how the message names it. */
export function validateParts(
  status: object,
  names: readonly string[],
  whole: string,
  of = `status.${whole}`,
): FieldError[] {
  const counts = status as Counts;
  return names.flatMap((name) => {
    const value = numberOf(counts, name);
    if (value <= numberOf(counts, whole)) return [];
    return [fieldError.invalid(`status.${name}`, value, `cannot be greater than ${of}`)];
  });
}

/** A count of collisions only grows. */
export function validateCollisions(
  now: { readonly collisionCount?: number | undefined } | undefined,
  before: { readonly collisionCount?: number | undefined } | undefined,
): FieldError[] {
  const count = now?.collisionCount;
  const old = before?.collisionCount;
  if (old === undefined || (count !== undefined && count >= old)) return [];
  return [fieldError.invalid("status.collisionCount", count ?? 0, "cannot be decremented")];
}
