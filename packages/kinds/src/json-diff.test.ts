import { describe, expect, it } from "vitest";
import { diffOfJson } from "./json-diff.js";

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("diffOfJson", () => {
  it("is empty for equal values", () => {
    expect(diffOfJson({ a: [1] }, { a: [1] })).toBe("");
  });

  it("shows what changed with three lines around it", () => {
    expect(
      diffOfJson({ a: numbers(9) }, { a: numbers(9).map((number) => (number === 4 ? "<" : number)) }),
    ).toBe(
      [
        "@@ -4,7 +4,7 @@",
        "   1,",
        "   2,",
        "   3,",
        "-  4,",
        '+  "\\u003c",',
        "   5,",
        "   6,",
        "   7,",
        "",
      ].join("\n"),
    );
  });

  it("shows distant changes in separate hunks, and near ones in one", () => {
    const hunks = (changed: number[]) =>
      diffOfJson(
        numbers(30),
        numbers(30).map((number) => (changed.includes(number) ? -1 : number)),
      )
        .split("\n")
        .filter((line) => line.startsWith("@@"));
    expect(hunks([5, 12])).toEqual(["@@ -4,14 +4,14 @@"]);
    expect(hunks([5, 13])).toEqual(["@@ -4,7 +4,7 @@", "@@ -12,7 +12,7 @@"]);
  });

  it("counts what is added or removed at an end", () => {
    expect(diffOfJson([], [1])).toBe("@@ -1 +1,3 @@\n-[]\n+[\n+ 1\n+]\n");
    expect(diffOfJson({ a: 1 }, { a: 1, b: 2 })).toBe(
      '@@ -1,3 +1,4 @@\n {\n- "a": 1\n+ "a": 1,\n+ "b": 2\n }\n',
    );
  });
});
