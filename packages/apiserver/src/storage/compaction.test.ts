import { expect, test } from "vitest";
import { CompactionSchedule } from "./compaction.js";

const minute = 60_000;

test.each([
  ["nothing before the first time", [[4, 10]], 0],
  ["nothing at the first time, which takes note of the newest revision", [[6, 10]], 0],
  [
    "at the second what was noted at the first",
    [
      [4, 10],
      [6, 20],
      [11, 30],
    ],
    20,
  ],
  [
    "what was the newest when nobody asked for several times",
    [
      [4, 10],
      [31, 40],
    ],
    40,
  ],
  [
    "the same until the next time",
    [
      [4, 10],
      [6, 20],
      [11, 30],
      [14, 50],
    ],
    20,
  ],
] as const)("CompactionSchedule: compacts %s", (_what, asked, expected) => {
  const schedule = new CompactionSchedule(5 * minute, 0);
  expect(asked.map(([at, newest]) => schedule.compactedAt(at * minute, newest)).at(-1)).toBe(expected);
});

test("CompactionSchedule: never compacts where the interval is zero", () => {
  expect(new CompactionSchedule(0, 0).compactedAt(1000 * minute, 5)).toBe(0);
});
