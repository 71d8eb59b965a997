// Work that Kubernetes' cost model does not count is limited all the same: no expression blocks the event loop.
import { expect, test } from "vitest";
import { createBudget } from "../budget.js";
import { compileExpression } from "../compile-expression.js";
import { CelBudgetError } from "../errors.js";
import { dynType } from "../types.js";

const evaluate = (expression: string, bindings: Record<string, unknown>): unknown => {
  const variables = Object.fromEntries(Object.keys(bindings).map((name) => [name, dynType]));
  return compileExpression(expression, { variables }).evaluate(bindings, createBudget());
};
const numbers = (length: number): number[] => Array.from({ length }, (_, index) => index);
const map = (size: number): object => Object.fromEntries(numbers(size).map((index) => [`k${index}`, index]));
const names = (length: number): string[] => numbers(length).map((index) => `name-${index}`);
const large = (index: number): string => `(a|b|[c-e]){400}x${index}`;

test.each<[what: string, expression: string, bindings: Record<string, unknown>]>([
  ["one pattern for many texts", "names.all(n, n.matches(p))", { names: names(5_000), p: "^name-[0-9]+$" }],
  ["some failures that do not matter", "n.all(x, 1 / (x - x) > 0 || true)", { n: numbers(5_000) }],
  ["two long maps that are equal", "a == b && b == a", { a: map(10_000), b: map(10_000) }],
])("CEL evaluation limit: accepts %s", (_what, expression, bindings) => {
  expect(evaluate(expression, bindings)).toBe(true);
});

test.each<[what: string, expression: string, bindings: Record<string, unknown>]>([
  ["patterns that are long to build", "p.all(x, !'z'.matches(x))", { p: numbers(1_000).map(large) }],
  ["failures", "n.all(x, n.all(y, 1 / (x - x) > 0 || true))", { n: numbers(250) }],
  ["long maps that are compared", "n.all(x, a == b)", { n: numbers(100), a: map(5_000), b: map(5_000) }],
])("CEL evaluation limit: ends an expression with a great many %s", (_what, expression, bindings) => {
  expect(() => evaluate(expression, bindings)).toThrow(CelBudgetError);
});
