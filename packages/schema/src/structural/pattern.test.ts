import fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { compilePattern, createPatternCompiler } from "./pattern.js";

describe("schema patterns", () => {
  it.each([
    ["^[a-z]+$", "abc", true],
    ["^[a-z]+$", "abc\n", false],
    ["b", "abc", true],
    ["^a|b$", "xb", true],
    ["^a|b$", "x", false],
    ["(?i)^ABC$", "abc", true],
    ["(?P<name>a)b", "xab", true],
    ["\\Qa.b", "a.b", true],
    ["\\Qa.b", "axb", false],
    ["^\\p{Lu}$", "Ä", true],
    ["", "anything", true],
  ])("%s on %j is %s", (source, text, matches) => {
    const pattern = compilePattern(source);
    expect(pattern.test(text)).toBe(matches);
    expect(pattern.test(text)).toBe(matches);
  });

  it.each([
    ["[", "error parsing regexp: missing closing ]: `[`"],
    ["a(?=b)", "error parsing regexp: invalid or unsupported Perl syntax: `(?=`"],
    ["(a)\\1", "error parsing regexp: invalid escape sequence: `\\1`"],
    ["a**", "error parsing regexp: invalid nested repetition operator: `**`"],
  ])("%s does not compile", (source, error) => {
    expect(compilePattern(source).error).toBe(error);
    expect(compilePattern(source).test("a")).toBe(false);
  });

  it("match as plain RE2 does, however they are compiled", () => {
    const piece = fc.constantFrom(
      "a",
      "b",
      "[ab]",
      "(a|b)",
      "(?:ab)*",
      "a?",
      "^",
      "$",
      "|",
      ".",
      "\\.",
      "[^a]",
      "(?i:A)",
      "b+",
      "\\b",
      "x{2}",
    );
    const source = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(""));
    const text = fc.stringMatching(/^[abx.A\n]{0,6}$/);
    fc.assert(
      fc.property(source, fc.array(text, { maxLength: 5 }), (pattern, texts) => {
        const compiled = compilePattern(pattern);
        if (compiled.error !== undefined) return;
        const plain = RE2JS.compile(pattern);
        for (const one of texts) expect(compiled.test(one)).toBe(plain.matcher(one).find());
      }),
      { numRuns: 500 },
    );
  });
});

it("short schema patterns that expand to long programs are refused before they are compiled", () => {
  const source = `^${"[a-z]{1,900}".repeat(300)}$`;
  expect(compilePattern(source).error).toBe(`error parsing regexp: expression too large: \`${source}\``);
  expect(compilePattern("^[a-z]{1,900}$").error).toBeUndefined();
  expect(compilePattern("^[a-z]{1,900}$").test("abc")).toBe(true);
});

it("all patterns of a schema together have a size limit", () => {
  const compile = createPatternCompiler();
  const errors = Array.from({ length: 100 }, (_, index) => compile(`^[a-z]{${900 - index}}$`).error);
  expect(errors[0]).toBeUndefined();
  expect(errors[99]).toContain("expression too large");
  expect(compile("^[a-z]{900}$").error).toBeUndefined();
});
