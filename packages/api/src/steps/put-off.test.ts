import { expect, test } from "vitest";
import { PutOff } from "./put-off.js";

/** A tree of some width and depth, whose members are counted. */
function visit(width: number, depth: number, seen: number[], later: PutOff): void {
  later.members(width, (from, to) => {
    for (let index = from; index < to; index++) {
      seen.push(depth);
      if (depth > 1) visit(width, depth - 1, seen, later);
    }
  });
}

test.each([
  [2, 7, 1],
  [2, 7, 3],
  [3, 5, 10],
  [40, 2, 7],
  [40, 2, 1_000],
  [5_000, 1, 100],
])("looks at every member once: %i wide, %i deep, %i at a stretch", (width, depth, atOnce) => {
  const later = new PutOff(atOnce);
  const seen: number[] = [];
  visit(width, depth, seen, later);
  let pauses = 0;
  for (const rest = later.rest(); !rest.next().done; pauses++)
    expect(seen.length).toBeLessThanOrEqual((pauses + 1) * Math.max(atOnce, width));
  const all = Array.from({ length: depth }, (_, index) => width ** (index + 1)).reduce((a, b) => a + b);
  expect(seen.length).toBe(all);
  expect(pauses).toBeGreaterThanOrEqual(Math.floor(all / Math.max(atOnce, width)) - 1);
});

test("what is short is looked at without a pause", () => {
  const later = new PutOff(1_000);
  const seen: number[] = [];
  visit(3, 3, seen, later);
  expect(later.rest().next().done).toBe(true);
  expect(seen.length).toBe(39);
});
