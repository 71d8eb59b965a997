import { expect, test } from "vitest";
import { removeImport, removeListElement, removeProperty } from "./removed-source.js";
import { addImport, addListElement } from "./source-edit.js";

test.each([
  ['import { a } from "x";\ncode();\n', "code();\n"],
  ['import { a, b } from "x";\n', 'import { b } from "x";\n'],
  ['import { b } from "x";\n', 'import { b } from "x";\n'],
  ['import { a } from "y";\n', 'import { a } from "y";\n'],
])("the import of a in %j", (source, expected) => {
  expect(removeImport(source, "a", "x")).toBe(expected);
});

test.each([
  ["f({ list: [a] })", "f({ list: [] })"],
  ["f({ list: [a, b] })", "f({ list: [b] })"],
  ["f({ list: [b, a] })", "f({ list: [b] })"],
  ["f({ list: [b, a, c] })", "f({ list: [b, c] })"],
  ["f({\n  list: [\n    b,\n    a,\n  ],\n})", "f({\n  list: [\n    b,\n  ],\n})"],
  ["f({\n  list: [\n    a, // first\n    b,\n  ],\n})", "f({\n  list: [\n    // first\n    b,\n  ],\n})"],
  ["f({ list: [b] })", "f({ list: [b] })"],
  ["f({ other: 1 })", "f({ other: 1 })"],
  ["f({ list: all })", undefined],
  ["f(options)", undefined],
])("a list without a: %j", (source, expected) => {
  expect(removeListElement(source, "f", "list", "a")).toBe(expected);
});

test.each([
  ["f({ a: 1, b: 2 })", ["a"], "f({ b: 2 })"],
  ["f({\n  b: 2,\n  a: [1, 2],\n})", ["a"], "f({\n  b: 2,\n})"],
  ["f({ b: 2, a: { v2: x } })", ["a", "v2"], "f({ b: 2 })"],
  ["f({ b: 2, a: { v2: x, v3: y } })", ["a", "v2"], "f({ b: 2, a: { v3: y } })"],
  ["f({ b: 2 })", ["a"], "f({ b: 2 })"],
] as const)("an object without a property: %j", (source, path, expected) => {
  expect(removeProperty(source, "f", path)).toBe(expected);
});

test("what was added and taken back leaves the source as it was", () => {
  for (const source of [
    'import { f } from "f";\n\nf({ list: [] });\n',
    'import { f } from "f";\n\nf({\n  list: [\n    one,\n    two,\n  ],\n});\n',
  ]) {
    const added = addImport(addListElement(source, "f", "list", "a") ?? "", "a", "./a.js");
    expect(added).not.toBe(source);
    expect(removeImport(removeListElement(added, "f", "list", "a") ?? "", "a", "./a.js")).toBe(source);
  }
});
