import fc from "fast-check";
import { expect, it } from "vitest";
import { cloneJson } from "./draft.js";

it("cloneJson makes an equal copy that shares nothing", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.stringify(cloneJson(value))).toBe(JSON.stringify(value));
    }),
  );
  const item = { a: 1 };
  expect(cloneJson([item])[0]).not.toBe(item);
});

it("cloneJson copies __proto__ as data", () => {
  const hostile: unknown = JSON.parse('{"__proto__": {"a": 1}}');
  expect(JSON.stringify(cloneJson(hostile))).toBe('{"__proto__":{"a":1}}');
});
