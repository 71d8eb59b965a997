import fc from "fast-check";
import { expect, it } from "vitest";
import { cloneJson, cloningSteps } from "./draft.js";

const long = (value: unknown) => ({
  list: Array.from({ length: 2_000 }, (_, index) => (index % 300 === 0 ? value : { index })),
  map: Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`key-${index}`, [index]])),
});

it("copies the same step by step, nothing of it shared", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      for (const whole of [value, long(value), [long(value)]]) {
        const copy = cloningSteps(whole);
        expect(JSON.stringify(copy)).toBe(JSON.stringify(whole));
        expect(cloneJson(whole)).toEqual(copy);
      }
    }),
    { numRuns: 10 },
  );
  const item = { a: 1 };
  const copy = cloningSteps(long(item)) as ReturnType<typeof long>;
  expect(copy.list[0]).not.toBe(item);
});

it("takes a key of any name for data", () => {
  const hostile: unknown = JSON.parse('{"__proto__": {"a": 1}}');
  expect(JSON.stringify(cloningSteps(hostile))).toBe('{"__proto__":{"a":1}}');
});

it("pauses in what is long", () => {
  expect([...cloningSteps({ a: [1, 2] })]).toHaveLength(0);
  expect([...cloningSteps(long({}))].length).toBeGreaterThanOrEqual(8);
});
