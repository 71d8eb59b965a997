import fc from "fast-check";
import { expect, it } from "vitest";
import { equalingSteps, equalJson } from "./json-value.js";

it("finds the same step by step as at once", () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  fc.assert(
    fc.property(value, value, (a, b) => {
      expect(equalingSteps(a, b)).toBe(equalJson(a, b));
      expect(equalingSteps(a, structuredClone(a))).toBe(true);
    }),
  );
});

it.each([
  [{ a: undefined }, {}, true],
  [{}, { a: undefined }, true],
  [{ a: 1 }, { b: 1 }, false],
  [[1, 2], [1], false],
  [[], {}, false],
  [null, {}, false],
])("%j and %j", (a, b, expected) => {
  expect(equalingSteps(a, b)).toBe(expected);
});

it("goes deeper than a body may", () => {
  const deep = (): unknown => {
    let value: unknown = 1;
    for (let depth = 0; depth < 1000; depth++) value = depth % 2 ? [value] : { value };
    return value;
  };
  expect(equalingSteps(deep(), deep())).toBe(true);
});
