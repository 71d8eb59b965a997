import { expect, it } from "vitest";
import { mergingSteps, roundingSteps } from "./resource-lists.js";

const many = (count: number, quantity: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`r${index}`, quantity]));

function pausesOf(steps: Iterable<undefined>): number {
  let pauses = 0;
  for (const _pause of steps) pauses++;
  return pauses;
}

it.each([
  ["1", "1"],
  ["100m", "100m"],
  ["1Gi", "1Gi"],
  ["0.5", "0.5"],
  ["100u", "1m"],
  ["1.0001", "1001m"],
  ["-1n", "-1m"],
  [3, 3],
])("%s is kept as %s", (quantity, expected) => {
  const resources: Record<string, string | number> = { cpu: quantity };
  roundingSteps(resources);
  expect(String(resources["cpu"])).toBe(String(expected));
});

it("merges lists, the last of them first", () => {
  expect(mergingSteps({ a: "1", b: "1" }, undefined, { b: "2", c: "2" })).toEqual({
    a: "1",
    b: "2",
    c: "2",
  });
  expect(mergingSteps(undefined, {})).toBeUndefined();
});

it("pauses now and then where there are a great many", () => {
  expect(pausesOf(roundingSteps(many(5000, "1u")))).toBeGreaterThanOrEqual(9);
  expect(pausesOf(mergingSteps(many(5000, "1")))).toBeGreaterThanOrEqual(9);
});
