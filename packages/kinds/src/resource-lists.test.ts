import { expect, it } from "vitest";
import { mergeResources, roundResources } from "./resource-lists.js";

it.each([
  ["1", "1"],
  ["100m", "100m"],
  ["1Gi", "1Gi"],
  ["0.5", "0.5"],
  ["100u", "1m"],
  ["1.0001", "1001m"],
  ["-1n", "-1m"],
  [3, 3],
])("a resource list keeps the quantity %s as %s", (quantity, expected) => {
  const resources: Record<string, string | number> = { cpu: quantity };
  roundResources(resources);
  expect(String(resources["cpu"])).toBe(String(expected));
});

it("resource lists: of merged ones the later one wins", () => {
  expect(mergeResources({ a: "1", b: "1" }, undefined, { b: "2", c: "2" })).toEqual({
    a: "1",
    b: "2",
    c: "2",
  });
  expect(mergeResources(undefined, {})).toBeUndefined();
});
