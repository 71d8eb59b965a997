import { describe, expect, it } from "vitest";
import { deepFreeze, exampleTypeInfo } from "./example-kind.js";
import { FieldSet } from "./field-set.js";
import { extractItems, removeItems } from "./remove-items.js";
import { toFieldSet } from "./to-field-set.js";

const live = deepFreeze({
  spec: {
    replicas: 1,
    map: [{ name: "a", value: 1 }, { name: "b" }],
    set: ["x", "y"],
    plain: [1, 2],
    atomicObj: { a: "1" },
    free: { k: "v" },
  },
});

const path = (...elements: string[]) => ["f:spec", ...elements];

describe("server-side apply: removing items", () => {
  it.each([
    ["a field", path("f:replicas"), { replicas: undefined }],
    ["a list item", path("f:map", 'k:{"name":"a"}'), { map: [{ name: "b" }] }],
    [
      "a field of a list item",
      path("f:map", 'k:{"name":"a"}', "f:value"),
      { map: [{ name: "a" }, { name: "b" }] },
    ],
    ["a set item", path("f:set", 'v:"x"'), { set: ["y"] }],
    ["an atomic list", path("f:plain"), { plain: undefined }],
    ["the last key of a map, which leaves null", path("f:free", "f:k"), { free: null }],
  ])("takes away %s", (_what, removed, spec) => {
    expect(removeItems(live, FieldSet.of(removed), exampleTypeInfo)).toEqual({
      spec: { ...live.spec, ...spec },
    });
  });

  it("gives the object itself back when nothing it holds is removed", () => {
    const items = FieldSet.of(path("f:mode"), path("f:map", 'k:{"name":"z"}'), ["f:status"]);
    expect(removeItems(live, items, exampleTypeInfo)).toBe(live);
    expect(removeItems(live, FieldSet.empty, exampleTypeInfo)).toBe(live);
  });
});

describe("server-side apply: extracting items", () => {
  it("takes only the leaves of the set, with the keys of their list items", () => {
    const items = FieldSet.of(
      path("f:map", 'k:{"name":"a"}', "f:value"),
      path("f:set", 'v:"y"'),
      path("f:plain"),
    );
    expect(extractItems(live, items, exampleTypeInfo)).toEqual({
      spec: { map: [{ name: "a", value: 1 }], set: ["y"], plain: [1, 2] },
    });
  });

  it("takes everything when everything is in the set", () => {
    expect(extractItems(live, toFieldSet(live, exampleTypeInfo), exampleTypeInfo)).toEqual(live);
    expect(extractItems(live, FieldSet.empty, exampleTypeInfo)).toBeUndefined();
  });
});
