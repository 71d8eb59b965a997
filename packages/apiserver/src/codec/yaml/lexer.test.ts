import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Lexer } from "yaml";
import { lexemes } from "./lexer.js";

const ours = (text: string) => [...lexemes(text)].filter((lexeme) => lexeme !== undefined);
const theirs = (text: string) => [...new Lexer().lex(text)];

const fragment = fc.constantFrom(
  ..."{}[]:,-?&*!|>'\"#%@\n \t\rab1~<.\\+漢".split(""),
  "\u{feff}",
  "\r\n",
  "\n  ",
  "\n    ",
  "\n\n",
  "\t\n",
  ": ",
  "- ",
  "? ",
  " #",
  ", ",
  "a: ",
  "a:\n  ",
  "---",
  "---\n",
  "...\n",
  "%TAG a b\n",
  "!<a>",
  "!!str ",
  "!a%41 ",
  "&a ",
  "*a",
  "|\n",
  "|+\n  ",
  ">2-\n   ",
  '\\"',
  "''",
  '"a b"',
  "'a'",
  "  \n",
  "text of words",
);

describe("the lexer", () => {
  it("makes of a text what the one of the yaml package does", () => {
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 25 }), (parts) => {
        const text = parts.join("");
        expect(ours(text)).toEqual(theirs(text));
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    ["a text", `a: ${"x".repeat(500_000)}`],
    ["text in double quotes", `a: "${'\\"'.repeat(250_000)}"`],
    ["text in single quotes", `a: '${"''".repeat(250_000)}'`],
    ["lines in quotes", `a: "${"b\n  ".repeat(125_000)}"`],
    ["a block", `a: |\n${"  b c\n".repeat(80_000)}`],
    ["a folded text", `a: ${"b c\n  ".repeat(80_000)}`],
    ["a list", `[${"a, ".repeat(1_000)}]`],
    ["blank lines of a flow", `[${"\n ".repeat(1_000)}]`],
    ["tags", `a: ${"! ".repeat(1_000)}`],
  ])("makes the same of %s that is long", (_name, text) => {
    expect(ours(text)).toEqual(theirs(text));
  });

  it.each([
    ["a text", `a: ${"x".repeat(500_000)}`],
    ["text in quotes", `a: "${"x".repeat(500_000)}"`],
    ["a block", `a: |\n${"  b c\n".repeat(80_000)}`],
    ["a folded text", `a: ${"b c\n  ".repeat(80_000)}`],
  ])("pauses in %s that is long", (_name, text) => {
    expect([...lexemes(text)].filter((lexeme) => lexeme === undefined).length).toBeGreaterThan(10);
  });

  it("hands over a great many lexemes as they are found", () => {
    for (const text of [`[${"\n".repeat(1_000_000)}`, "! ".repeat(1_000_000), `[${",".repeat(1_000_000)}`]) {
      let count = 0;
      for (const _ of lexemes(text)) if (++count > 1_000) break;
      expect(count).toBeGreaterThan(1_000);
    }
  });
});
