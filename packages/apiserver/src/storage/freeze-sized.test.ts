import fc from "fast-check";
import { expect, test } from "vitest";
import { freezeSized, isPrepared, isTooLarge, preparingSteps } from "./freeze-sized.js";

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
      const size = freezeSized(value).json;
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
  expect(freezeSized(deep).json).toBeGreaterThan(100_000);
});

test("what is too large is told without freezing it", () => {
  const large = { list: Array.from({ length: 500_000 }, () => ({})) };
  expect([isTooLarge(large), Object.isFrozen(large)]).toEqual([true, false]);
  expect(isTooLarge({ text: "x".repeat(1000) })).toBe(false);
});

test("freezing stops where there is too much", () => {
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
])("%s take more in memory than as JSON", (_what, value, each) => {
  const { json, memory } = freezeSized(value);
  expect(memory).toBeGreaterThan(1000 * each);
  expect(memory).toBeGreaterThan(2 * json);
});

test("a long text takes about as much in memory as it does as JSON", () => {
  const { json, memory } = freezeSized({ text: "x".repeat(100_000) });
  expect(memory / json).toBeCloseTo(1, 2);
});

test("freezes what is prepared step by step, and knows its size", () => {
  const make = () => ({
    metadata: { name: "a", labels: { a: "b" } },
    data: Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`key-${index}`, "value"])),
    list: Array.from({ length: 5000 }, (_, index) => ({ index })),
  });
  const expected = freezeSized(make());
  const object = make();
  let pauses = 0;
  for (const _pause of preparingSteps(object)) pauses++;
  expect(pauses).toBeGreaterThanOrEqual(4);
  expect(isPrepared(object)).toBe(true);
  expect(Object.isFrozen(object.metadata)).toBe(false);
  expect(Object.isFrozen(object.list[4999])).toBe(true);
  const { json, memory } = freezeSized(object, undefined, true);
  expect({ json, memory }).toEqual({ json: expected.json, memory: expected.memory });
});

test("does not claim to know the size of what is too large", () => {
  const object = { metadata: {}, data: { a: "b".repeat(200), c: { d: "e".repeat(200) } } };
  preparingSteps(object, 100);
  expect(freezeSized(object, undefined, true).json).toBeGreaterThan(400);
});
