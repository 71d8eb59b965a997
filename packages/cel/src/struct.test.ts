import { expect, it } from "vitest";
import { createBudget } from "./budget.js";
import { compileExpression } from "./compile-expression.js";
import type { FindStruct } from "./struct.js";
import { dynType, objectType, stringType } from "./types.js";
import { StructMap } from "./values/map.js";
import { celToJson } from "./values/to-json.js";

const structs: FindStruct = (name) =>
  name === "Pair" || name === "Pair.left"
    ? {
        type: objectType(name, () => new Map()),
        field: (field) => ({ left: dynType, name: stringType })[field],
      }
    : undefined;

const compile = (text: string) =>
  compileExpression(text, { variables: { object: dynType }, structs, extensions: ["jsonPatch"] });
const evaluate = (text: string, object: unknown = {}) => compile(text).evaluate({ object }, createBudget());

it.each([
  ["Pair{}", {}],
  ['Pair{name: "a", left: Pair.left{name: "b"}}', { name: "a", left: { name: "b" } }],
  ["Pair{left: [1, 2], ?name: object.?missing}", { left: [1, 2] }],
  ['Pair{?name: optional.of("x")}', { name: "x" }],
  [
    'Pair{left: {"at": timestamp("2026-01-02T03:04:05Z")}}',
    {
      left: { at: "2026-01-02T03:04:05Z" },
    },
  ],
  ["has(object.n) ? Pair{left: object} : Pair{}", { left: { n: 2.5 } }],
  ['Pair{name: jsonpatch.escapeKey("a/b~c")}', { name: "a~1b~0c" }],
])("CEL object construction: %s", (text, json) => {
  expect(celToJson(evaluate(text, { n: 2.5 }))).toEqual(json);
});

it("CEL object construction: the result has the declared type", () => {
  expect(evaluate("Pair{left: Pair.left{}}")).toMatchObject({ typeName: "Pair" });
  expect(evaluate("Pair{}")).toBeInstanceOf(StructMap);
  expect(compile("Pair{}").resultType.name).toBe("Pair");
});

it.each([
  ["Other{}", "undeclared reference to 'Other'"],
  ["Pair{right: 1}", "undefined field 'right'"],
  ["Pair{name: 1}", "expected type of field 'name' is 'string' but provided type is 'int'"],
])("CEL object construction: %s is refused", (text, message) => {
  expect(() => compile(text)).toThrow(message);
});

it("CEL object construction costs what Kubernetes charges for it", () => {
  expect(compile('Pair{name: "a", left: Pair.left{}}').cost).toEqual({ min: 80, max: 80 });
});
