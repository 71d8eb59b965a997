import { describe, expect, it } from "vitest";
import { compileExpression } from "./compile-expression.js";
import { CelCompileError } from "./errors.js";
import { dynType } from "./types.js";

it.each([
  ["x", 100_001],
  ["💡", 100_001],
])("CEL: refuses an expression of %s repeated 100,001 times as too long", (character, size) => {
  expect(() => compileExpression(character.repeat(size), { variables: {} })).toThrow(
    `expression code point size exceeds limit: size: ${size}, limit 100000`,
  );
});

it("CEL: counts the length of an expression in code points, not in UTF-16 units", () => {
  const text = `'${"💡".repeat(60_000)}' == ''`;
  expect(() => compileExpression(text, { variables: {} })).not.toThrow();
});

const repeated = (text: string, count: number, separator = ","): string =>
  Array.from({ length: count }, () => text).join(separator);

it.each<[what: string, expression: string]>([
  ["names", `[${repeated("a", 20_000)}].size() > 0`],
  ["lists", `[${repeated("[]", 20_000)}].size() > 0`],
  ["terms", repeated("a == 1", 10_000, "&&")],
  ["calls", `[${repeated("size(a)", 10_000)}].size() > 0`],
  ["loops", `[${repeated("[a].all(x, x)", 6_000)}].size() > 0`],
  ["entries", `{${Array.from({ length: 10_000 }, (_, i) => `${i}: a`).join()}}.size() > 0`],
  ["names in a loop", `[a].all(x, [${repeated("x", 20_000)}].size() > 0)`],
])("CEL: compiles an expression with thousands of %s", (_what, expression) => {
  expect(compileExpression(expression, { variables: { a: dynType } }).resultType.kind).toBe("bool");
});

describe("CEL: refuses an expression that nests too deep with a compile error", () => {
  const nested = (open: string, close: string, count = 20_000): string =>
    `${open.repeat(count)}a${close.repeat(count)}`;
  it.each<[what: string, expression: string]>([
    ["parentheses", nested("(", ")")],
    ["lists", nested("[", "]")],
    ["maps", nested("{1:", "}", 15_000)],
    ["calls", nested("f(", ")")],
    ["negated parentheses", nested("!(", ")")],
    ["selections", `a${".b".repeat(40_000)}`],
    ["optional selections", `a${".?b".repeat(30_000)}`],
    ["indexes", nested("a[", "]")],
    ["a row of indexes", `a${"[0]".repeat(30_000)}`],
    ["a row of calls", `a${".f()".repeat(20_000)}`],
    ["sums", repeated("a", 40_000, "+")],
    ["products", repeated("a", 40_000, "*")],
    ["relations", repeated("a", 40_000, "<")],
    ["conditionals", `${repeated("a?a", 20_000, ":")}:a`],
    ["macros", nested("[1].all(x,", ")", 5_000)],
    ["structs", nested("A{b:", "}", 15_000)],
    ["opening parentheses only", "(".repeat(90_000)],
  ])("%s", (_what, expression) => {
    const compile = (): unknown => compileExpression(expression, { variables: { a: dynType } });
    expect(compile).toThrow(CelCompileError);
    expect(compile).toThrow("expression recursion limit exceeded: 250");
  });
});
