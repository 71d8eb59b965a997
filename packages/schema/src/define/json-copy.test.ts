import { describe, expect, it } from "vitest";
import { copyJson } from "./json-copy.js";

describe("jsonCopy", () => {
  it("copies JSON without undefined values", () => {
    const original = { a: [1, "x", null, { b: true }], gone: undefined };
    const { copy, problems } = copyJson(original);
    expect(copy).toStrictEqual({ a: [1, "x", null, { b: true }] });
    expect(problems).toEqual([]);
    expect(copy).not.toBe(original);
  });

  it("keeps __proto__ as a key", () => {
    const { copy } = copyJson(JSON.parse('{"__proto__":{"x":1}}'));
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"x":1}}');
  });

  it.each([
    ["a bigint", 2n ** 60n, "bigint"],
    ["a function", () => 1, "function"],
    ["a symbol", Symbol("s"), "symbol"],
    ["NaN", Number.NaN, "NaN"],
    ["infinity", Number.POSITIVE_INFINITY, "Infinity"],
    ["a Date", new Date(0), "Date"],
    ["a Map", new Map(), "Map"],
  ])("reports %s as no JSON", (_what, value, shown) => {
    expect(copyJson({ spec: { list: [{ value }] } }).problems).toEqual([
      {
        field: "spec.list[0].value",
        reason: "FieldValueTypeInvalid",
        message: `Invalid value: "${shown}": must be JSON`,
      },
    ]);
  });

  it("reports a value that contains itself", () => {
    const object: Record<string, unknown> = {};
    object["self"] = object;
    expect(copyJson(object).problems).toEqual([
      { field: "", reason: "FieldValueInvalid", message: "must not be nested deeper than 1000 levels" },
    ]);
  });
});
