// Lists in an object may be as long as a body allows, and rules for their items stand deep inside other rules. What is wrong
// with the items of a long list is found when all else is known, a few items at a time, so that others are served in
// between; until then one error stands in its place for all of them.
import type { FieldError } from "@kubewright/api";
import type { Steps } from "@kubewright/api/steps";
import { mostErrors } from "./failures.js";

/** Lists of so many items are checked at once. Small enough for lists of such lists. */
const few = 64;
/** Items of long lists that are checked at a stretch: each may have lists of its own. */
const itemsPerStep = 8;

/** Stands for what is wrong with the items of a long list. Says nothing itself. */
class FoundLater implements FieldError {
  readonly field = "";
  readonly reason = "FieldValueInvalid";
  readonly message = "";
  readonly #find: () => Steps<FieldError[]>;
  #found: readonly FieldError[] | undefined;

  constructor(find: () => Steps<FieldError[]>) {
    this.#find = find;
  }

  /** Is done once, wherever and however often this stands among other errors. */
  *find(): Steps<readonly FieldError[]> {
    this.#found ??= yield* this.#find();
    return this.#found;
  }
}

/**
 * What is wrong with each item of a list, in order. Of a long list it is not known yet whether there is anything: ask
 * `allErrors` before looking into what this returns.
 */
export function checkEach<T>(
  list: readonly T[],
  check: (item: T, index: number) => readonly FieldError[],
): FieldError[] {
  if (list.length > few) return [new FoundLater(() => checkingSteps(list, check))];
  const errors: FieldError[] = [];
  let index = 0;
  for (const item of list) for (const error of check(item, index++)) errors.push(error);
  return errors;
}

function* checkingSteps<T>(
  list: readonly T[],
  check: (item: T, index: number) => readonly FieldError[],
): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  for (const [index, item] of list.entries()) {
    if (index % itemsPerStep === 0) yield;
    for (const error of check(item, index)) yield* add(error, errors);
    if (errors.length >= mostErrors) break;
  }
  return errors;
}

function* add(error: FieldError, errors: FieldError[]): Steps<void> {
  if (!(error instanceof FoundLater)) errors.push(error);
  else for (const found of yield* error.find()) errors.push(found);
}

/** Whether some of the errors were put off. */
export const isPutOff = (errors: readonly FieldError[]): boolean =>
  errors.some((error) => error instanceof FoundLater);

/** The errors with those that were put off, each in its place. */
export function* allErrors(errors: readonly FieldError[]): Steps<readonly FieldError[]> {
  if (!isPutOff(errors)) return errors;
  const all: FieldError[] = [];
  for (const error of errors) {
    if (all.length >= mostErrors) break;
    yield* add(error, all);
  }
  return all;
}
