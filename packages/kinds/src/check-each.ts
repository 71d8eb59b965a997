// Rules for the items of a list.
import type { FieldError } from "@kubewright/api";

/** The most errors that a response reports: nobody reads more, and printing them would take longer than finding them. */
export const maxErrors = 10_000;

/** Returns the errors of each item of a list, in order; stops at the most that a response reports. */
export function checkEach<T>(
  list: readonly T[] | null | undefined,
  check: (item: T, index: number) => readonly FieldError[],
): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, item] of (list ?? []).entries()) {
    if (errors.length >= maxErrors) break;
    for (const error of check(item, index)) errors.push(error);
  }
  return errors;
}
