import fc from "fast-check";
import { expect, test } from "vitest";
import { freezeSized, sizeOfJson } from "./freeze-sized.js";

test("freezeSized: freezes every part, also below parts that are frozen", () => {
  const value = Object.freeze({ spec: { list: [{ a: 1 }] } });
  freezeSized(value);
  expect(Object.isFrozen(value.spec)).toBe(true);
  expect(Object.isFrozen(value.spec.list)).toBe(true);
  expect(Object.isFrozen(value.spec.list[0])).toBe(true);
});

test("freezeSized: estimates the length of the JSON, never too high", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), (value) => {
      const exact = JSON.stringify(value).length;
      const size = freezeSized(value).json;
      expect(size).toBeGreaterThan(exact / 8 - 8);
      // What is refused as too large is too large.
      expect(size).toBeLessThanOrEqual(Buffer.byteLength(JSON.stringify(value)));
    }),
  );
});

test("freezeSized: handles a key named __proto__, and any depth", () => {
  const value: object = JSON.parse('{"__proto__": {"a": {}}}');
  freezeSized(value);
  expect(Object.isFrozen(Object.values(value)[0])).toBe(true);
  let deep: object = {};
  for (let level = 0; level < 100_000; level++) deep = { deep };
  expect(freezeSized(deep).json).toBeGreaterThan(100_000);
});

test("sizeOfJson: measures without freezing", () => {
  const large = { list: Array.from({ length: 500_000 }, () => ({})) };
  expect(sizeOfJson(large)).toBeGreaterThan(1_000_000);
  expect(Object.isFrozen(large)).toBe(false);
});

test("freezeSized: finds integers that a number would round", () => {
  expect(freezeSized({ a: [{ b: 1 }] }).hasBigIntegers).toBe(false);
  expect(freezeSized({ a: [{ b: 9223372036854775807n }] }).hasBigIntegers).toBe(true);
});

test("freezeSized: stops at its limit", () => {
  const list = Array.from({ length: 1000 }, () => ({ a: "x".repeat(100) }));
  expect(freezeSized({ list }, 200).json).toBeLessThan(5_000);
  expect(list.filter(Object.isFrozen).length).toBeLessThan(1000);
});

test.each([
  ["a great many empty objects", Array.from({ length: 1000 }, () => ({})), 60],
  ["a great many lists in lists", Array.from({ length: 1000 }, () => [[]]), 100],
  [
    "a great many fields",
    Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, 1])),
    20,
  ],
])("freezeSized: %s take more in memory than as JSON", (_what, value, each) => {
  const { json, memory } = freezeSized(value);
  expect(memory).toBeGreaterThan(1000 * each);
  expect(memory).toBeGreaterThan(2 * json);
});

test("freezeSized: a long text takes about as much in memory as it does as JSON", () => {
  const { json, memory } = freezeSized({ text: "x".repeat(100_000) });
  expect(memory / json).toBeCloseTo(1, 2);
});
