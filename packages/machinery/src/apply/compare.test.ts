import type { TypeInfo } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { compare } from "./compare.js";
import { example, exampleTypeInfo } from "./example-kind.js";
import { describePath } from "./path-element.js";

function changes(before: Record<string, unknown>, after: Record<string, unknown>): Record<string, string[]> {
  const comparison = compare(example(before), example(after), exampleTypeInfo);
  const shown = Object.entries(comparison).map(([name, set]): [string, string[]] => [
    name,
    [...set.paths()].map((path) => describePath(path).replace(/^\.spec/, "")),
  ]);
  return Object.fromEntries(shown.filter(([, paths]) => paths.length > 0));
}

describe("comparing objects", () => {
  it.each([
    ["a scalar", { replicas: 1 }, { replicas: 2 }, { modified: [".replicas"] }],
    ["an added field", {}, { replicas: 2 }, { added: [".replicas"] }],
    ["a removed field", { mode: "a" }, {}, { removed: [".mode"] }],
    ["an atomic list", { plain: [1] }, { plain: [1, 2] }, { modified: [".plain"] }],
    ["an atomic map", { atomicObj: { a: "1" } }, { atomicObj: { a: "2" } }, { modified: [".atomicObj"] }],
    ["a set", { set: ["a", "b"] }, { set: ["b", "c"] }, { added: ['.set[="c"]'], removed: ['.set[="a"]'] }],
    ["only the order of a set", { set: ["a", "b"] }, { set: ["b", "a"] }, {}],
    [
      "a field of a list item",
      { map: [{ name: "a", value: 1 }, { name: "b" }] },
      { map: [{ name: "b" }, { name: "a", value: 2 }] },
      { modified: ['.map[name="a"].value'] },
    ],
    [
      "a new list item",
      { map: [{ name: "a" }] },
      { map: [{ name: "a" }, { name: "b" }] },
      { added: ['.map[name="b"]', '.map[name="b"].name'] },
    ],
    ["a new struct", {}, { obj: { a: "1" } }, { added: [".obj", ".obj.a"] }],
    [
      "a key of a map",
      { free: { a: "1" } },
      { free: { b: "1" } },
      { added: [".free.b"], removed: [".free.a"] },
    ],
    ["null against a value", { mode: null }, { mode: "a" }, { modified: [".mode"] }],
    [
      "free content that changes its type",
      { any: { a: 1 } },
      { any: "x" },
      { modified: [".any"], removed: [".any.a"] },
    ],
    [
      "list items that come to share a key",
      { map: [{ name: "a", value: 1 }] },
      {
        map: [
          { name: "a", value: 1 },
          { name: "a", value: 2 },
        ],
      },
      {
        added: ['.map[name="a"]'],
        removed: ['.map[name="a"]', '.map[name="a"].name', '.map[name="a"].value'],
      },
    ],
    [
      "list items that stop sharing a key",
      {
        map: [
          { name: "a", value: 1 },
          { name: "a", value: 2 },
        ],
      },
      { map: [{ name: "a", value: 2 }] },
      {
        added: ['.map[name="a"]', '.map[name="a"].name', '.map[name="a"].value'],
        removed: ['.map[name="a"]'],
      },
    ],
    [
      "one of the list items that share a key",
      {
        map: [
          { name: "a", value: 1 },
          { name: "a", value: 2 },
        ],
      },
      {
        map: [
          { name: "a", value: 1 },
          { name: "a", value: 3 },
        ],
      },
      { modified: ['.map[name="a"]'] },
    ],
    [
      "keys named like properties of every object",
      { free: {} },
      { free: { constructor: "x" } },
      { added: [".free.constructor"] },
    ],
  ])("sees %s", (_what, before, after, expected) => {
    expect(changes(before, after)).toEqual(expected);
  });
});

it("comparing objects: lists and maps of thousands of members", () => {
  const typeInfo: TypeInfo = {
    kind: "list",
    item: { kind: "scalar", type: "string" },
    listType: "set",
    keys: [],
  };
  const list = Array.from({ length: 5000 }, (_, index) => `item-${index}`);
  expect(compare([], list, typeInfo).added.members.size).toBe(5000);
  expect(compare(list, list.slice(1), typeInfo).removed.members.size).toBe(1);
});
