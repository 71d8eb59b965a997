// Long lists are sorted run by run, and the runs merged, with pauses.
import { Pace, type Steps } from "./steps.js";

/** So many are sorted, or merged, at a stretch. */
const runLength = 4000;

/** The list, sorted as by `toSorted`. */
export function* sortingSteps<T>(list: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  let runs: T[][] = [];
  for (let from = 0; from < list.length; from += runLength) {
    runs.push(list.slice(from, from + runLength).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let index = 0; index < runs.length; index += 2)
      merged.push(yield* mergingSteps(runs[index] ?? [], runs[index + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

/** Of equal ones those of `a` come first. */
function* mergingSteps<T>(a: readonly T[], b: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  const merged: T[] = [];
  const pace = new Pace(runLength);
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const isFirst = j >= b.length || (i < a.length && compare(a[i] as T, b[j] as T) <= 0);
    merged.push((isFirst ? a[i++] : b[j++]) as T);
    if (pace.isOver) yield;
  }
  return merged;
}
