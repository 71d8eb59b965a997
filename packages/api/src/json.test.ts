import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cloneJson, isObject, ownValue, roundIntegers, setOwn, stringifyJson } from "./json.js";

const hostile = '{"__proto__":{"polluted":true},"constructor":1}';

describe("JSON objects", () => {
  it.each([
    [{}, true],
    [[], false],
    [null, false],
    ["a", false],
    [1n, false],
    [undefined, false],
  ])("isObject distinguishes objects from other values (%#)", (value, expected) => {
    expect(isObject(value)).toBe(expected);
  });

  it("setOwn and ownValue take __proto__ and inherited names for data", () => {
    const object: Record<string, unknown> = {};
    expect(ownValue(object, "__proto__")).toBeUndefined();
    expect(ownValue(object, "toString")).toBeUndefined();
    expect(ownValue(undefined, "a")).toBeUndefined();
    setOwn(object, "__proto__", { polluted: true });
    setOwn(object, "toString", "text");
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
    expect(ownValue(object, "__proto__")).toEqual({ polluted: true });
    expect(ownValue(object, "toString")).toBe("text");
  });

  it("cloneJson shares nothing with the original", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.stringify(cloneJson(value))).toBe(JSON.stringify(value));
      }),
    );
    const item = { a: 1 };
    const copy = cloneJson({ list: [item] });
    expect(copy.list[0]).not.toBe(item);
    expect(JSON.stringify(cloneJson(JSON.parse(hostile)))).toBe(hostile);
    expect(cloneJson({ a: 1n })).toEqual({ a: 1n });
  });
});

describe("stringifyJson", () => {
  it("writes what JSON.stringify writes", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(stringifyJson(value, indent)).toBe(text);
      }),
    );
    expect(stringifyJson(undefined)).toBe("null");
  });

  it("writes bigints as integers, and all around them as JSON.stringify does", () => {
    const values = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.double({ noNaN: true }),
        fc.constantFrom(null, true, undefined, 42n),
        fc.array(tie("any")),
        fc.dictionary(fc.string(), tie("any")),
      ),
    })).any;
    fc.assert(
      fc.property(values, fc.constantFrom(undefined, 1, 2), (value, indent) => {
        const plain = JSON.stringify(value, (_, each) => (typeof each === "bigint" ? 42 : each), indent);
        expect(stringifyJson(value, indent)).toBe(plain ?? "null");
      }),
    );
    expect(stringifyJson({ a: [9223372036854775807n] })).toBe('{"a":[9223372036854775807]}');
  });
});

describe("roundIntegers", () => {
  it("gives back the very value where there is no bigint in it", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(roundIntegers(value) === value).toBe(true);
      }),
    );
  });

  it("gives numbers for bigints, and shares what has none", () => {
    const value = Object.freeze({ a: [{ big: 9223372036854775807n }], b: { c: 1 } });
    const rounded = roundIntegers(value);
    expect(rounded).toEqual({ a: [{ big: 2 ** 63 }], b: { c: 1 } });
    expect(rounded.b).toBe(value.b);
    expect(Object.isFrozen(rounded) && Object.isFrozen(rounded.a) && Object.isFrozen(rounded.a[0])).toBe(
      true,
    );
    expect(value.a[0]?.big).toBe(9223372036854775807n);
  });
});
