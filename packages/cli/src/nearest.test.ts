import { describe, expect, test } from "vitest";
import { editDistance, nearest } from "./nearest.js";

describe("the distance of two words", () => {
  test.each([
    ["", "", 0],
    ["run", "run", 0],
    ["clutser", "cluster", 1],
    ["kind", "kinds", 1],
    ["grop", "group", 1],
    ["", "abc", 3],
    ["plural", "purl", 2],
  ])("%j to %j is %i", (from, to, distance) => {
    expect(editDistance(from, to)).toBe(distance);
    expect(editDistance(to, from)).toBe(distance);
  });
});

test.each([
  ["clutser", "cluster"],
  ["manifest", "manifests"],
  ["x", undefined],
  ["frobnicate", undefined],
  ["m".repeat(50), undefined],
])("nearest to %j is %j", (word, expected) => {
  expect(nearest(word, ["cluster", "manifests", "init"])).toBe(expected);
});
