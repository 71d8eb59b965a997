import { describe, expect, it } from "vitest";
import { deepFreeze, example, exampleTypeInfo } from "./example-kind.js";
import { merge } from "./merge.js";

type Spec = Record<string, unknown>;
const merged = (live: Spec, applied: Spec) => {
  const { spec } = merge(deepFreeze(example(live)), deepFreeze(example(applied)), exampleTypeInfo) as {
    spec: Spec;
  };
  return spec;
};
const items = (names: string) => [...names].map((name) => ({ name }));

describe("merging an applied object", () => {
  it.each([
    [
      "adds and replaces scalars",
      { replicas: 1, mode: "a" },
      { replicas: 2, paused: true },
      { replicas: 2, mode: "a", paused: true },
    ],
    [
      "replaces atomic lists and maps",
      { plain: [1, 2], atomicObj: { a: "1" } },
      { plain: [3], atomicObj: { b: "2" } },
      { plain: [3], atomicObj: { b: "2" } },
    ],
    [
      "merges structs and maps",
      { obj: { a: "1" }, free: { x: "1" } },
      { obj: { b: "2" }, free: { y: "2" } },
      { obj: { a: "1", b: "2" }, free: { x: "1", y: "2" } },
    ],
    [
      "merges items by key",
      { map: [{ name: "a", value: 1 }] },
      { map: [{ name: "a", extra: "x" }] },
      { map: [{ name: "a", value: 1, extra: "x" }] },
    ],
    ["keeps live items under an empty list", { map: [{ name: "a" }] }, { map: [] }, { map: [{ name: "a" }] }],
    [
      "keeps live content under null",
      { map: [{ name: "a" }], obj: { a: "1" } },
      { map: null, obj: null },
      { map: [{ name: "a" }], obj: { a: "1" } },
    ],
    ["lets null replace a scalar", { mode: "a" }, { mode: null }, { mode: null }],
    [
      "merges free maps and replaces free lists",
      { any: { a: 1, l: [1] } },
      { any: { b: 2, l: [2] } },
      { any: { a: 1, b: 2, l: [2] } },
    ],
    ["replaces free content of another type", { any: { a: 1 } }, { any: "x" }, { any: "x" }],
    [
      "takes __proto__ for a key",
      JSON.parse('{"free":{"a":"1"}}'),
      JSON.parse('{"free":{"__proto__":"x"}}'),
      JSON.parse('{"free":{"a":"1","__proto__":"x"}}'),
    ],
  ])("%s", (_what, live, applied, result) => {
    expect(merged(live, applied)).toEqual(result);
    expect(Object.getPrototypeOf(merged(live, applied)["free"] ?? {})).toBe(Object.prototype);
  });

  it.each([
    ["appends new items", "abc", "d", "abcd"],
    ["puts new items where they were applied", "abc", "adc", "abdc"],
    ["takes the applied order of shared items", "abc", "cba", "cba"],
    ["keeps live items around shared ones", "axbyc", "ab", "axbyc"],
    ["keeps live items behind moved ones", "abcd", "da", "bcda"],
    ["puts new items before the shared item that follows", "ab", "xb", "axb"],
    ["leaves an unchanged list alone", "abc", "abc", "abc"],
  ])("orders list items: %s", (_what, live, applied, result) => {
    const { map } = merged({ map: items(live) }, { map: items(applied) }) as { map: { name: string }[] };
    expect(map.map(({ name }) => name).join("")).toBe(result);
    const { set } = merged({ set: [...live] }, { set: [...applied] });
    expect((set as string[]).join("")).toBe(result);
  });

  it("does not merge into live items that share a key", () => {
    const live = { map: [{ name: "a", value: 1 }, { name: "a", value: 2 }, { name: "b" }] };
    expect(merged(live, { map: [{ name: "a", extra: "x" }] })).toEqual({
      map: [{ name: "a", extra: "x" }, { name: "b" }],
    });
  });
});
