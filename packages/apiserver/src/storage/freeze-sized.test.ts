import fc from "fast-check";
import { expect, test } from "vitest";
import { freezeSized } from "./freeze-sized.js";

test("freezes every part, also below parts that are frozen", () => {
  const value = Object.freeze({ spec: { list: [{ a: 1 }] } });
  freezeSized(value);
  expect(Object.isFrozen(value.spec)).toBe(true);
  expect(Object.isFrozen(value.spec.list)).toBe(true);
  expect(Object.isFrozen(value.spec.list[0])).toBe(true);
});

test("says about how long the JSON is", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), (value) => {
      const exact = JSON.stringify(value).length;
      const size = freezeSized(value);
      expect(size).toBeGreaterThan(exact / 8 - 8);
      expect(size).toBeLessThan(exact * 4 + 8);
    }),
  );
});

test("takes a key named __proto__ and any depth for data", () => {
  const value: object = JSON.parse('{"__proto__": {"a": {}}}');
  freezeSized(value);
  expect(Object.isFrozen(Object.values(value)[0])).toBe(true);
  let deep: object = {};
  for (let level = 0; level < 100_000; level++) deep = { deep };
  expect(freezeSized(deep)).toBeGreaterThan(100_000);
});
