import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deepEqual } from "./deep-equal.js";

describe("deepEqual", () => {
  it.each<[unknown, unknown, boolean]>([
    [1, 1, true],
    [1, "1", false],
    [null, undefined, false],
    [null, {}, false],
    [{}, {}, true],
    [[], {}, false],
    [{}, [], false],
    [[], [], true],
    [{ a: 1, b: [2, { c: null }] }, { b: [2, { c: null }], a: 1 }, true],
    [[1, 2], [2, 1], false],
    [[1], [1, 2], false],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ a: 1, b: 2 }, { a: 1 }, false],
    [{ a: 1, b: undefined }, { a: 1 }, true],
    [{ a: undefined }, { b: undefined }, true],
    [{ a: undefined }, { b: 1 }, false],
    [{ a: null }, {}, false],
    [{ constructor: {} }, { other: {} }, false],
  ])("%j and %j: %s", (a, b, expected) => {
    expect(deepEqual(a, b)).toBe(expected);
    expect(deepEqual(b, a)).toBe(expected);
  });

  it("takes a __proto__ key for the data it is", () => {
    const own: unknown = JSON.parse('{"__proto__": {}}');
    expect(deepEqual(own, { x: 1 })).toBe(false);
    expect(deepEqual(own, JSON.parse('{"__proto__": {"a": 1}}'))).toBe(false);
    expect(deepEqual(own, JSON.parse('{"__proto__": {}}'))).toBe(true);
  });

  it("does not mind depth", () => {
    const nest = (end: number): object => {
      let value: object = { end };
      for (let i = 0; i < 200_000; i += 1) value = [value];
      return value;
    };
    expect(deepEqual(nest(1), nest(1))).toBe(true);
    expect(deepEqual(nest(1), nest(2))).toBe(false);
  });

  it("agrees with the platform on JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), fc.jsonValue(), (a, b) => {
        const copy: unknown = JSON.parse(JSON.stringify(a));
        expect(deepEqual(JSON.parse(JSON.stringify(a)), copy)).toBe(true);
        expect(deepEqual(copy, b)).toBe(isDeepStrictEqual(copy, JSON.parse(JSON.stringify(b))));
      }),
    );
  });
});
