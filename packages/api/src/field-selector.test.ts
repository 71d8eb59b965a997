import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeFieldValue, FieldMatcher, unescapeFieldValue } from "./field-selector.js";

describe("field selector query", () => {
  it.each([
    ["", ""],
    ["x=a,y=b,z=c", "x=a,y=b,z=c"],
    ["z=c,x=a", "x=a,z=c"],
    ["x==a", "x=a"],
    ["x!=a,y=b", "x!=a,y=b"],
    ["x=", "x="],
    ["x=,z=", "x=,z="],
    [",x=a,,", "x=a"],
    ["x=a\\,b,y=c", "x=a\\,b,y=c"],
    ["x=a\\=b\\\\", "x=a\\=b\\\\"],
    ["x!=a\\=b", "x!=a\\=b"],
    ["metadata.name = a", "metadata.name = a"],
    ["=a", "=a"],
    ["x=a!", "x=a!"],
  ])("%j is %j in canonical form", (text, expected) => {
    expect(FieldMatcher.parse(text).toString()).toBe(expected);
  });

  it("has its values unescaped", () => {
    expect(FieldMatcher.parse("x=a\\,b\\=c\\\\,y!=").requirements).toEqual([
      { field: "x", operator: "=", value: "a,b=c\\" },
      { field: "y", operator: "!=", value: "" },
    ]);
  });

  it.each([
    ["metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    [
      "metadata.name in (a)",
      "invalid selector: 'metadata.name in (a)'; can't understand 'metadata.name in (a)'",
    ],
    ["x=a,y", "invalid selector: 'x=a,y'; can't understand 'y'"],
    ["x=a=b", "invalid field selector: unescaped character in value: 61"],
    ["x==a==b", "invalid field selector: unescaped character in value: 61"],
    ["x=\\a", "invalid field selector: invalid escape sequence: \\a"],
    ["x=a\\", "invalid field selector: invalid escape sequence: \\"],
    ["x=\\😀", "invalid field selector: invalid escape sequence: \\😀"],
  ])("%j is refused: %s", (text, message) => {
    expect(() => FieldMatcher.parse(text)).toThrow(new SyntaxError(message));
  });

  it("is read in time that grows with its length and no faster", () => {
    expect(FieldMatcher.parse(`x=${"\\,".repeat(300_000)}`).requirements).toHaveLength(1);
    expect(FieldMatcher.parse(",".repeat(1e6)).requirements).toEqual([]);
  });
});

describe("field selector matching", () => {
  it.each([
    ["", {}, true],
    ["x=y", { x: "y" }, true],
    ["x=y", { x: "z" }, false],
    ["x=y", {}, false],
    ["x=", {}, true],
    ["x!=", {}, false],
    ["x=y,x=y", { x: "y" }, true],
    ["x=y,x=z", { x: "y" }, false],
    ["x!=y,x!=z,x=a", { x: "a" }, true],
    ["x!=y,x!=z", { x: "z" }, false],
    ["x!=y", {}, true],
    ["x!=y", { x: "y" }, false],
    ["x=y,z!=w", { x: "y", z: "v" }, true],
    ["x=a\\,b", { x: "a,b" }, true],
    ["constructor=", {}, true],
  ])("%j on %j: %s", (text, fields, expected) => {
    expect(FieldMatcher.parse(text).matches(fields)).toBe(expected);
  });

  it("takes no longer for a long selector than for the fields there are", () => {
    const text = Array.from({ length: 20_000 }, (_, index) => `metadata.name!=k${index}`).join();
    const matcher = FieldMatcher.parse(text);
    let matched = 0;
    for (let round = 0; round < 100_000; round++) if (matcher.matches({ "metadata.name": "a" })) matched++;
    expect(matched).toBe(100_000);
  });

  it("matches everything without requirements", () => {
    expect(FieldMatcher.everything.matches({})).toBe(true);
  });

  it.each([
    ["x=a", "x", "a"],
    ["x!=a", "x", undefined],
    ["x=a", "y", undefined],
  ])("%s demands of %s exactly %s", (text, field, expected) => {
    expect(FieldMatcher.parse(text).exactValue(field)).toBe(expected);
  });
});

it("field selector: unescapes what was escaped, alone and in a query", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", "\\", ",", "=", "!", "é", "\n") }), (value) => {
      expect(unescapeFieldValue(escapeFieldValue(value))).toBe(value);
      expect(FieldMatcher.parse(`x=${escapeFieldValue(value)},y=b`).exactValue("x")).toBe(value);
    }),
  );
});
