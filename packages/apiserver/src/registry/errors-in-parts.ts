// Metadata may have as many labels, annotations and finalizers as fit into a body: they are checked some at a time, so that others
// are served in between.
import type { FieldError } from "@kubewright/api";
import type { Steps } from "@kubewright/api/steps";
import { mostErrors } from "../request/failures.js";

/** So many take about a millisecond, whatever is wrong with them. */
const partSize = 200;

type Check<T> = (some: readonly T[], from: number) => readonly FieldError[];

/** What was found, or the steps to find it. */
export type FoundInParts = readonly FieldError[] | Steps<readonly FieldError[]>;

/** What a check finds in all parts, in order; at once where there are few things, as there mostly are. */
export const errorsInParts = <T>(things: readonly T[], check: Check<T>): FoundInParts =>
  things.length <= partSize ? check(things, 0) : checkParts(things, check);

/** What was found, after the steps to find it if there are any. */
export function* found(errors: FoundInParts): Steps<readonly FieldError[]> {
  return "next" in errors ? yield* errors : errors;
}

/** What several checks found; at once if all did. */
export function joined(...all: readonly FoundInParts[]): FoundInParts {
  const errors: FieldError[] = [];
  for (const one of all) {
    if ("next" in one) return gather(all);
    for (const error of one) errors.push(error);
  }
  return errors;
}

function* gather(all: readonly FoundInParts[]): Steps<readonly FieldError[]> {
  const errors: FieldError[] = [];
  for (const one of all) for (const error of "next" in one ? yield* one : one) errors.push(error);
  return errors;
}

/** No more parts are looked at once nobody would be told. */
function* checkParts<T>(things: readonly T[], check: Check<T>): Steps<readonly FieldError[]> {
  const errors: FieldError[] = [];
  for (let from = 0; from < things.length && errors.length < mostErrors; from += partSize) {
    for (const error of check(things.slice(from, from + partSize), from)) errors.push(error);
    yield;
  }
  return errors;
}
