import { describe, expect, it } from "vitest";
import { compilePattern } from "../../structural/pattern.js";
import { toRe2Source } from "./pattern.js";

// Written so that compilers for older targets do not mind the flag.
const setOperation = new RegExp("[[a-z]--b]", ["v"].join(""));

describe("JavaScript patterns as RE2", () => {
  it.each([
    [/^a\/b$/, "^a/b$", "a/b"],
    [/\\u0041/, "\\\\u0041", "\\u0041"],
    [/\u00e9/, "\\x{00e9}", "é"],
    [/^\u{1F600}$/u, "^\\x{1F600}$", "😀"],
    [/^\p{Lu}\P{L}$/u, "^\\p{Lu}\\P{L}$", "A1"],
    [/^\p{Script=Greek}+$/u, "^\\p{Greek}+$", "αβγ"],
    [/^a.b$/s, "(?s)^a.b$", "a\nb"],
    [/^A$/i, "(?i)^A$", "a"],
    [/^a\(?=b$/, "^a\\(?=b$", "a(=b"],
    [/^[(?=]$/, "^[(?=]$", "("],
  ])("%s is %s", (pattern, source, text) => {
    expect(toRe2Source(pattern)).toEqual({ source });
    expect(pattern.test(text)).toBe(true);
    expect(compilePattern(source).test(text)).toBe(true);
  });

  it.each([
    [/a(?=b)/, "look-around"],
    [/a(?!b)/, "look-around"],
    [/(?<=a)b/, "look-around"],
    [/(?<!a)b/, "look-around"],
    [/(a)\1/, "back-references"],
    [/(?<x>a)\k<x>/, "back-references"],
    [/\p{Emoji}/u, "the Unicode property Emoji"],
    [/\p{Letter}/u, "the Unicode property Letter"],
    [setOperation, "set operations"],
    [/a/y, "sticky"],
  ])("%s is refused", (pattern, problem) => {
    expect(toRe2Source(pattern)).toEqual({ problem: expect.stringContaining(problem) });
  });
});
