import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { goByteQuote, goFloat, goJson, goQuote, utf8Length } from "./go-text.js";

describe("goQuote", () => {
  it.each([
    ["plain text", '"plain text"'],
    ["", '""'],
    ['say "hi"\\', '"say \\"hi\\"\\\\"'],
    ["a\tb\nc\rd\u0007", '"a\\tb\\nc\\rd\\a"'],
    ["\u0000\u007f", '"\\x00\\x7f"'],
    ["héllo → 世界", '"héllo → 世界"'],
    ["\u00a0\u200b", '"\\u00a0\\u200b"'],
    ["😀", '"😀"'],
    ["\u{e0001}", '"\\U000e0001"'],
    ["\ud800", '"\ufffd"'],
  ])("%j", (text, expected) => {
    expect(goQuote(text)).toBe(expected);
  });
});

describe("goByteQuote", () => {
  it.each([
    ["1h", '"1h"'],
    ['a"\\b', '"a\\"\\\\b"'],
    ["3µs\n", '"3\\xc2\\xb5s\\x0a"'],
  ])("%j", (text, expected) => {
    expect(goByteQuote(text)).toBe(expected);
  });
});

describe("goJson", () => {
  it.each([
    [{ rule: "self > 1 && x < 2" }, '{"rule":"self \\u003e 1 \\u0026\\u0026 x \\u003c 2"}'],
    ["\u2028", '"\\u2028"'],
    [undefined, "null"],
    [["a", 1, null], '["a",1,null]'],
  ])("%j", (value, expected) => {
    expect(goJson(value)).toBe(expected);
  });
});

it("utf8Length: counts bytes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
    }),
  );
});

describe("goFloat", () => {
  it.each([
    [0, "0"],
    [-0, "-0"],
    [0.5, "0.5"],
    [123456.5, "123456.5"],
    [1e6, "1e+06"],
    [1500000.5, "1.5000005e+06"],
    [-1e21, "-1e+21"],
    [0.0001, "0.0001"],
    [0.00001, "1e-05"],
    [Number.NaN, "NaN"],
    [Number.NEGATIVE_INFINITY, "-Inf"],
  ])("%d", (value, expected) => {
    expect(goFloat(value)).toBe(expected);
  });
});

it("goQuote: quotes a long text with a few unusual characters a piece at a time", () => {
  const leastCost = (work: () => unknown): number => {
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 5; round++) {
      const before = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(before);
      least = Math.min(least, user + system);
    }
    return least;
  };
  const [few, many] = [`"${"9".repeat(1_000_000)}"`, "\u200b".repeat(1_000_000)];
  expect(goQuote(few)).toBe(`"\\"${"9".repeat(1_000_000)}\\""`);
  expect(3 * leastCost(() => goQuote(few))).toBeLessThan(leastCost(() => goQuote(many)));
});
