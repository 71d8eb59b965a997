import fc from "fast-check";
import { expect, test } from "vitest";
import { sortingSteps } from "./sorting-steps.js";
import { finish } from "./steps.js";

const byFirst = (a: readonly number[], b: readonly number[]): number => (a[0] ?? 0) - (b[0] ?? 0);

test("sorts as the platform does, equal ones in their order, whatever the number of runs", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 13_000 }), fc.integer({ min: 1, max: 9_999 }), (length, factor) => {
      const list = Array.from({ length }, (_, index) => [(index * factor) % 101, index]);
      expect(finish(sortingSteps(list, byFirst))).toEqual(list.toSorted(byFirst));
    }),
    { numRuns: 30 },
  );
});

test("pauses at least once for every few thousand, in sorting and in merging", () => {
  const steps = sortingSteps(
    Array.from({ length: 64_000 }, (_, index) => -index),
    (a, b) => a - b,
  );
  let pauses = 0;
  while (!steps.next().done) pauses++;
  expect(pauses).toBeGreaterThanOrEqual(16 * 5);
});
