import { expect, it } from "vitest";
import { compileInSteps } from "./compile-expression.js";
import { dynType } from "./types.js";

it("pauses before each pass over the expression", () => {
  const pauses = [...compileInSteps("object.a == 1 && object.b == 2", { variables: { object: dynType } })];
  expect(pauses.length).toBeGreaterThanOrEqual(5);
});

it.each([
  ["x", 100_001],
  ["💡", 100_001],
])("an expression of %s, a hundred thousand times and once more, is too long", (character, size) => {
  expect(() => [...compileInSteps(character.repeat(size), { variables: {} })]).toThrow(
    `expression code point size exceeds limit: size: ${size}, limit 100000`,
  );
});

it("length is counted in characters, not in the halves of them", () => {
  const text = `'${"💡".repeat(60_000)}' == ''`;
  expect(() => [...compileInSteps(text, { variables: {} })]).not.toThrow();
});

const repeated = (text: string, count: number, separator = ","): string =>
  Array.from({ length: count }, () => text).join(separator);

it.each<[what: string, expression: (count: number) => string]>([
  ["names", (count) => `[${repeated("a", count)}].size() > 0`],
  ["lists", (count) => `[${repeated("[]", count)}].size() > 0`],
  ["terms", (count) => repeated("a == 1", count, " && ")],
  ["calls", (count) => `[${repeated("size(a)", count)}].size() > 0`],
  ["loops", (count) => `[${repeated("[a].all(x, x)", count)}].size() > 0`],
  ["entries", (count) => `{${Array.from({ length: count }, (_, i) => `${i}: a`).join()}}.size() > 0`],
  ["names in a loop", (count) => `[a].all(x, [${repeated("x", count)}].size() > 0)`],
])("pauses the more often the more %s there are", (_what, expression) => {
  const pausesFor = (count: number): number =>
    [...compileInSteps(expression(count), { variables: { a: dynType } })].length;
  expect(pausesFor(6_000)).toBeGreaterThanOrEqual(6 * pausesFor(10));
});
