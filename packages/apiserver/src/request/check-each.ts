// Rules for the items of a list.
import type { FieldError } from "@kubewright/api";

/** The errors of each item of a list, in order. */
export function checkEach<T>(
  list: readonly T[] | null | undefined,
  check: (item: T, index: number) => readonly FieldError[],
): FieldError[] {
  const errors: FieldError[] = [];
  let index = 0;
  for (const item of list ?? []) for (const error of check(item, index++)) errors.push(error);
  return errors;
}
