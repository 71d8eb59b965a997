import { finish } from "@kubewright/api/steps";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LongScalars } from "./long-scalars.js";
import { parsingSteps } from "./parse-yaml.js";
import { YamlError } from "./yaml-error.js";

/** What a text comes to when scalars of more than so many characters are long. */
function outcome(text: string, longest: number): unknown {
  try {
    return finish(parsingSteps(Buffer.from(text), new LongScalars(longest))).value;
  } catch (error) {
    if (error instanceof YamlError) return "refused";
    throw error;
  }
}

const pieces = (...more: string[]) =>
  fc
    .array(
      fc.constantFrom(
        "a",
        "b c",
        " ",
        "  ",
        "\t",
        "\n",
        "\n  ",
        "\n\n  ",
        "\r\n  ",
        "\n     ",
        "漢",
        "1",
        "_",
        ...more,
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join(""));

const block = fc
  .tuple(
    fc.constantFrom("|", ">", "|-", ">-", "|+", ">+", "|2", ">1-", "|3+"),
    fc.array(
      fc.tuple(fc.constantFrom("", "  ", "   ", "    "), fc.constantFrom("", "a", "b c", "\t", "- d", "\r")),
      { maxLength: 8 },
    ),
  )
  .map(([header, lines]) => `${header}\n${lines.map(([indent, text]) => `${indent}${text}\n`).join("")}`);

const scalar = fc.oneof(
  pieces(),
  pieces(
    "\\n",
    "\\u0041",
    "\\\\",
    '\\"',
    "\\x41",
    "\\\n  ",
    "\\ ",
    "\\ud83d\\ude00",
    "\\q",
    "\\u00",
    "''",
  ).map((text) => `"${text}"`),
  pieces("''", "\\").map((text) => `'${text}'`),
  block,
);

describe("a long scalar", () => {
  it("says what it would say if it was short", () => {
    fc.assert(
      fc.property(
        scalar,
        fc.constantFrom("a: ", "- ", "a:\n  b: ", "[", "? ", "!!str ", "%YAML 1.1\n---\na: ", "a: 1\nb: "),
        fc.constantFrom("", "z: 1\n", "  y: 'b'\nz: 1\n", "- z\n"),
        (text, before, after) => {
          const whole = `${before}${text}${before === "[" ? "]" : "\n"}${after}`;
          expect(outcome(whole, 0)).toEqual(outcome(whole, 1_000_000));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  const many = 400_000;

  it.each<[what: string, text: string, value: string | number]>([
    ["without quotes", "x".repeat(many), "x".repeat(many)],
    ["of digits", "7".repeat(many), "7".repeat(many)],
    ["that is a number", `0.5${"0".repeat(many)}`, 0.5],
    ["in double quotes", `"${"\\u0041\\n".repeat(many / 8)}"`, "A\n".repeat(many / 8)],
    ["in single quotes", `'${"''".repeat(many / 2)}'`, "'".repeat(many / 2)],
    ["in single quotes with text", `'a${"''b''".repeat(many / 5)}'`, `a${"'b'".repeat(many / 5)}`],
    ["of lines", `"${"a\n  ".repeat(many / 4)}"`, "a ".repeat(many / 4)],
    ["in a block", `|\n${"    a\n".repeat(many / 6)}`, "a\n".repeat(many / 6)],
    ["in a folded block", `>-\n${"    a\n".repeat(many / 8)}`, "a ".repeat(many / 8).trimEnd()],
  ])("%s is read a little at a time", (_what, text, value) => {
    const steps = parsingSteps(Buffer.from(`a: ${text}`));
    let pauses = 0;
    for (;;) {
      const { done, value: parsed } = steps.next();
      if (!done) pauses++;
      else {
        expect(parsed.value).toEqual({ a: value });
        break;
      }
    }
    expect(pauses).toBeGreaterThan(8);
  });

  it.each([
    ["an escape that is none", `"${"\\q".repeat(many)}"`, /^yaml: line 1: Invalid escape sequence \\q/],
    ["a quote that is missing", `"${"x".repeat(many)}`, /^yaml: line 1: Missing closing "quote/],
    ["a start that is reserved", "@".repeat(many), /^yaml: line 1: Plain value cannot start with/],
  ])("is refused for %s", (_what, text, message) => {
    expect(() => finish(parsingSteps(Buffer.from(`a: ${text}`)))).toThrow(message);
  });

  it("is no reason to find later keys too long", () => {
    const text = (length: number) => `a:\n  b: "${"x".repeat(length)}"\nc: {d: 1}\ne: 2\n`;
    const value = finish(parsingSteps(Buffer.from(text(50_000)))).value;
    expect(value).toEqual({ a: { b: "x".repeat(50_000) }, c: { d: 1 }, e: 2 });
  });

  it("is read once, however many aliases stand for it", () => {
    const text = (aliases: number) =>
      Buffer.from(`a: &a 0.${"1".repeat(50_000)}\nb:\n${"- *a\n".repeat(aliases)}`);
    const pauses = (aliases: number) => [...parsingSteps(text(aliases))].length;
    // Reading it again would pause again, several times for each alias.
    expect(pauses(2_000) - pauses(1_000)).toBeLessThan(100);
  });
});
