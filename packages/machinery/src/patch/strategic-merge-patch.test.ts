import type { FieldInfo, TypeInfo } from "@kubewright/api";
import { kindTypeInfo } from "@kubewright/api/type-info";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deepFreeze } from "../apply/example-kind.js";
import { applyStrategicMergePatch } from "./strategic-merge-patch.js";

const text: TypeInfo = { kind: "scalar", type: "string" };

function struct(fields: Record<string, TypeInfo | Partial<FieldInfo>>): TypeInfo {
  const named = Object.entries(fields).map(([name, field]): [string, FieldInfo] => [
    name,
    "kind" in field ? { name, type: field } : { name, type: text, ...field },
  ]);
  return {
    kind: "struct",
    name: "test.Struct",
    fields: new Map(named),
    required: [],
    mapType: "granular",
    preserveUnknownFields: false,
  };
}

const list = (item: TypeInfo): TypeInfo => ({ kind: "list", item, listType: "atomic", keys: [] });
const item = struct({ name: text, value: text, more: text, inner: { type: struct({ a: text, b: text }) } });

const typeInfo = struct({
  scalar: text,
  map: { kind: "map", value: text, mapType: "granular" },
  object: struct({ a: text, b: text }),
  replaced: { type: struct({ a: text, b: text }), patchStrategy: ["replace"] },
  items: { type: list(item), patchStrategy: ["merge", "retainKeys"], patchMergeKey: "name" },
  words: { type: list(text), patchStrategy: ["merge"] },
  plain: { type: list(text) },
  plainItems: { type: list(item) },
  raw: { kind: "any" },
});

type Json = Record<string, unknown>;
const patch = (document: Json, change: unknown) =>
  applyStrategicMergePatch(deepFreeze(document), deepFreeze(change), typeInfo);
const named = (names: string) => [...names].map((name) => ({ name }));

describe("a strategic merge patch", () => {
  it.each<[string, Json, Json, Json]>([
    [
      "sets and removes fields",
      { scalar: "a", map: { k: "v" } },
      { scalar: null, map: { l: "w" } },
      { map: { k: "v", l: "w" } },
    ],
    ["drops nulls of what is new", {}, { object: { a: "1", b: null } }, { object: { a: "1" } }],
    [
      "replaces a value of another type",
      { scalar: "a" },
      { scalar: { a: null, b: "1" } },
      { scalar: { b: "1" } },
    ],
    ["replaces lists without a strategy", { plain: ["a"] }, { plain: ["b"] }, { plain: ["b"] }],
    ["replaces maps marked so", { replaced: { a: "1" } }, { replaced: { b: "2" } }, { replaced: { b: "2" } }],
    [
      "merges items by key",
      { items: [{ name: "a", value: "1" }] },
      { items: [{ name: "a", more: "2" }] },
      { items: [{ name: "a", value: "1", more: "2" }] },
    ],
    [
      "merges inside items",
      { items: [{ name: "a", inner: { a: "1" } }] },
      { items: [{ name: "a", inner: { b: "2" } }] },
      { items: [{ name: "a", inner: { a: "1", b: "2" } }] },
    ],
    ["puts new items first", { items: named("ab") }, { items: named("c") }, { items: named("cab") }],
    [
      "keeps new items around patched ones",
      { items: named("ab") },
      { items: named("bc") },
      { items: named("abc") },
    ],
    ["merges words as a set", { words: ["a", "b"] }, { words: ["b", "c", "c"] }, { words: ["a", "b", "c"] }],
    [
      "deletes an item",
      { items: named("abc") },
      { items: [{ name: "b", $patch: "delete" }] },
      { items: named("ac") },
    ],
    [
      "deletes items that share a key",
      { items: named("aba") },
      { items: [{ name: "a", $patch: "delete" }] },
      { items: named("b") },
    ],
    [
      "deletes nothing where there is nothing",
      { items: named("a") },
      { items: [{ name: "z", $patch: "delete" }] },
      { items: named("a") },
    ],
    [
      "replaces a whole list",
      { items: named("ab") },
      { items: [{ name: "c" }, { $patch: "replace" }] },
      { items: named("c") },
    ],
    ["empties a list", { items: named("ab") }, { items: [{ $patch: "replace" }] }, { items: [] }],
    ["replaces a map", { map: { k: "v" } }, { map: { $patch: "replace", l: "w" } }, { map: { l: "w" } }],
    ["empties a map", { map: { k: "v" } }, { map: { $patch: "delete" } }, { map: {} }],
    [
      "drops directives where there is nothing to direct",
      {},
      { map: { $patch: "delete" }, items: [{ name: "a" }, { name: "b", $patch: "delete" }] },
      { items: named("a") },
    ],
    [
      "deletes words",
      { words: ["a", "b", "c"] },
      { "$deleteFromPrimitiveList/words": ["a", "c", "z"] },
      { words: ["b"] },
    ],
    ["deletes words of a list that is not there", {}, { "$deleteFromPrimitiveList/words": ["a"] }, {}],
    [
      "orders words and deletes some",
      { words: ["a", "b", "c"] },
      { "$setElementOrder/words": ["d", "c", "b"], words: ["d"], "$deleteFromPrimitiveList/words": ["a"] },
      { words: ["d", "c", "b"] },
    ],
    [
      "orders items",
      { items: named("abc") },
      { "$setElementOrder/items": named("cab") },
      { items: named("cab") },
    ],
    [
      "orders items and patches one",
      { items: named("ab") },
      { "$setElementOrder/items": named("ba"), items: [{ name: "a", value: "1" }] },
      { items: [{ name: "b" }, { name: "a", value: "1" }] },
    ],
    [
      "keeps items out of the order where they stood",
      { items: named("axb") },
      { "$setElementOrder/items": named("ba") },
      { items: named("xba") },
    ],
    [
      "orders a new list",
      {},
      { "$setElementOrder/items": named("ab"), items: named("ab") },
      { items: named("ab") },
    ],
    ["takes an order without a list for nothing", {}, { "$setElementOrder/items": named("a") }, {}],
    [
      "retains keys of a map",
      { object: { a: "1", b: "2" } },
      { object: { $retainKeys: ["a"], a: "9" } },
      { object: { a: "9" } },
    ],
    [
      "retains keys of an item",
      { items: [{ name: "a", value: "1", more: "2" }] },
      { items: [{ $retainKeys: ["name", "more"], name: "a", more: "3" }] },
      { items: [{ name: "a", more: "3" }] },
    ],
    [
      "takes __proto__ for a key",
      { map: {} },
      JSON.parse('{"map":{"__proto__":"x"}}'),
      JSON.parse('{"map":{"__proto__":"x"}}'),
    ],
  ])("%s", (_what, document, change, result) => {
    expect(patch(document, change)).toEqual(result);
  });

  it.each<[string, Json, unknown, number, string]>([
    [
      "no object",
      {},
      "text",
      400,
      "json: cannot unmarshal string into Go value of type map[string]interface {}",
    ],
    [
      "an unknown directive",
      { object: {} },
      { object: { $patch: "explode" } },
      500,
      "unknown patch type: explode in map: map[$patch:explode]",
    ],
    [
      "a map with $patch: merge",
      { object: {} },
      { object: { $patch: "merge" } },
      500,
      "unknown patch type: merge in map: map[$patch:merge]",
    ],
    [
      "a list with $patch: merge",
      { items: named("a") },
      { items: [{ $patch: "merge" }] },
      500,
      "merging lists cannot yet be specified in the patch",
    ],
    [
      "an item without its key",
      { items: named("a") },
      { items: [{ value: "1" }] },
      500,
      "map: map[value:1] does not contain declared merge key: name",
    ],
    [
      "a deletion without a key",
      { items: named("a") },
      { items: [{ $patch: "delete" }] },
      500,
      "map: map[$patch:delete] does not contain declared merge key: name",
    ],
    [
      "retained keys that are no list",
      { object: {} },
      { object: { $retainKeys: "a" } },
      400,
      "invalid patch format of retainKeys",
    ],
    [
      "a key that is not retained",
      { object: {} },
      { object: { $retainKeys: ["a"], b: "1" } },
      400,
      "invalid patch format of retainKeys",
    ],
    [
      "a directive without a list",
      {},
      { $deleteFromPrimitiveList: ["a"] },
      400,
      "invalid patch format of primitive list",
    ],
    [
      "an order without a list",
      {},
      { $setElementOrder: ["a"] },
      400,
      "invalid patch format of setElementOrder list",
    ],
    [
      "an order that is no list",
      {},
      { "$setElementOrder/items": "a" },
      500,
      "expected a []interface {}, but received a string",
    ],
    [
      "an order that misses an item",
      { items: named("ab") },
      { "$setElementOrder/items": named("b"), items: named("a") },
      500,
      "The order in patch list:\n[map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:b]]\n",
    ],
    [
      "items of different types",
      { words: ["a"] },
      { words: [1] },
      500,
      "list element types are not identical: [[a] [1]]",
    ],
    [
      "lists of lists",
      { words: ["a"] },
      { words: [["b"]] },
      422,
      "the server rejected our request due to an error in our request",
    ],
    [
      "content without a type",
      { raw: { a: { b: 1 } } },
      { raw: { a: { b: 2 } } },
      500,
      'unable to find api field in struct RawExtension for the json field "a"',
    ],
  ])("is refused for %s", (_what, document, change, code, message) => {
    expect(() => patch(document, change)).toThrow(expect.objectContaining({ code, message }));
  });

  it("knows the published types of built-in kinds", () => {
    const pod = kindTypeInfo({ group: "", version: "v1", kind: "Pod" }) ?? expect.fail("no typeInfo");
    const live = deepFreeze({
      spec: { containers: [{ name: "a", image: "a:1", env: [{ name: "X", value: "1" }] }] },
    });
    const change = { spec: { containers: [{ name: "a", env: [{ name: "Y", value: "2" }] }] } };
    expect(applyStrategicMergePatch(live, change, pod)).toEqual({
      spec: {
        containers: [
          {
            name: "a",
            image: "a:1",
            env: [
              { name: "Y", value: "2" },
              { name: "X", value: "1" },
            ],
          },
        ],
      },
    });
  });

  it("shares what it does not touch", () => {
    const document = { object: { a: "1" }, map: { k: "v" } };
    expect(patch(document, { map: { k: "w" } })["object"]).toBe(document.object);
  });

  const word = fc.constantFrom("a", "b", "c");
  const things = fc.record(
    { name: word, value: word, inner: fc.record({ a: word, b: word }, { requiredKeys: [] }) },
    { requiredKeys: ["name"] },
  );
  const documents = fc.record(
    {
      scalar: word,
      map: fc.dictionary(word, word),
      object: fc.record({ a: word, b: word }, { requiredKeys: [] }),
      items: fc.uniqueArray(things, { selector: ({ name }) => name }),
      words: fc.uniqueArray(word),
      plain: fc.array(word),
    },
    { requiredKeys: [] },
  );

  it("gives the document itself back when it is empty or says what is there", () => {
    fc.assert(
      fc.property(documents, (document) => {
        expect(patch(document, {})).toBe(document);
        expect(patch(document, structuredClone(document))).toBe(document);
      }),
    );
  });

  it("changes nothing the second time, and never its inputs", () => {
    fc.assert(
      fc.property(documents, documents, (document, change) => {
        const once = patch(document, change);
        expect(patch(once, change)).toEqual(once);
      }),
    );
  });
});
