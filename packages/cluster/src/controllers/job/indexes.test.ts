import { expect, test } from "vitest";
import { formatIndexes, parseIndexes } from "./indexes.js";

test.each([
  ["", []],
  ["3", [3]],
  ["0,1", [0, 1]],
  ["0-2,5", [0, 1, 2, 5]],
  ["1,2,4-6", [1, 2, 4, 5, 6]],
])("Job: %s are the indexes %j", (text, indexes) => {
  expect(formatIndexes(new Set(indexes))).toBe(text);
  expect([...parseIndexes(text)]).toEqual(indexes);
});
