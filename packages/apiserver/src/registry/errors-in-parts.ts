// Metadata may have as many labels, annotations and finalizers as fit into a body: they are checked some at a time, so that others
// are served in between.
import type { FieldError } from "@kubewright/api";
import { mostErrors } from "../request/failures.js";
import type { Steps } from "../steps.js";

/** So many take about a millisecond, whatever is wrong with them. */
const partSize = 200;

/** What a check finds in all parts, in order; no more parts are looked at once nobody would be told. */
export function* errorsInParts<T>(
  things: readonly T[],
  check: (some: readonly T[], from: number) => readonly FieldError[],
): Steps<FieldError[]> {
  if (things.length <= partSize) return [...check(things, 0)];
  const errors: FieldError[] = [];
  for (let from = 0; from < things.length && errors.length < mostErrors; from += partSize) {
    for (const error of check(things.slice(from, from + partSize), from)) errors.push(error);
    yield;
  }
  return errors;
}
