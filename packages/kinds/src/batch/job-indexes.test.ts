import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countIndexes, firstCommonIndex } from "./job-indexes.js";

/** Sets of indexes and how jobs write them. */
const indexSets = fc.uniqueArray(fc.integer({ min: 0, max: 40 }), { maxLength: 20 }).map((indexes) => {
  const sorted = [...indexes].sort((a, b) => a - b);
  const intervals: [number, number][] = [];
  for (const index of sorted) {
    const last = intervals.at(-1);
    if (last && last[1] === index - 1) last[1] = index;
    else intervals.push([index, index]);
  }
  const text = intervals.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
  return { sorted, text };
});

describe("the completed indexes of a Job", () => {
  it("are counted as many as there are", () => {
    fc.assert(
      fc.property(indexSets, ({ sorted, text }) => {
        expect(countIndexes(text, 100)).toBe(sorted.length);
      }),
    );
  });

  it("overlap first at the smallest common index", () => {
    fc.assert(
      fc.property(indexSets, indexSets, (a, b) => {
        expect(firstCommonIndex(a.text, b.text, 100)).toBe(
          a.sorted.find((index) => b.sorted.includes(index)),
        );
      }),
    );
  });

  it.each([
    ["1,0", "non-increasing order, previous: 1, current: 0"],
    ["3-2", "non-increasing order, previous: 3, current: 2"],
    [
      "1-2-3",
      `the fragment "1-2-3" violates the requirement that an index interval can have at most two parts separated by '-'`,
    ],
    ["a", 'cannot convert string to integer for index: "a"'],
    ["9", 'too large index: "9"'],
  ])("%s is refused", (text, message) => {
    expect(() => countIndexes(text, 5)).toThrow(message);
  });
});
