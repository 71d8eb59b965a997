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
