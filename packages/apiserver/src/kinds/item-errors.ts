// Lists that may have thousands of items are checked a few items at a time, so that others are served in between.
import type { FieldError } from "@kubewright/api";

/** So many items take about a millisecond. */
const itemsPerStep = 200;

/** The errors of all items of a list, in order. */
export function itemErrors<T>(
  list: readonly T[] | null | undefined,
  check: (item: T, index: number) => readonly FieldError[],
): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, item] of (list ?? []).entries()) {
    for (const error of check(item, index)) errors.push(error);
  }
  return errors;
}
