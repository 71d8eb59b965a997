import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { freezeSized } from "../storage/freeze-sized.js";
import { LongValues } from "./count-values.js";
import { encodeJson, encodeYaml } from "./encode.js";
import { isLong, isLongPretty, jsonSlices, prettyJsonSlices } from "./slices.js";
import { isLongYaml, yamlSlices } from "./yaml-slices.js";

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Values of which some part is long, at some depth. */
const item = fc.jsonValue({ maxDepth: 3 });
const longList = item.map((value) => many(2_500, (index) => (index % 500 === 0 ? value : index)));
const longMap = item.map((value) =>
  Object.fromEntries(many(2_500, (index) => [`key-${index}`, index % 500 === 0 ? value : "x"])),
);
const long = fc.oneof(longList, longMap);
const around = fc.oneof(
  long,
  fc.record({ kind: fc.string(), items: longList, metadata: item }),
  fc.record({ spec: fc.record({ a: item, list: fc.tuple(item, long) }) }),
  fc.tuple(item, long, fc.tuple(long)),
);
const runs = { numRuns: 30 };

describe("slices make up", () => {
  it("the JSON of a list", () => {
    const listed = fc.record({ kind: fc.string(), items: longList, metadata: item, rows: fc.array(item) });
    fc.assert(
      fc.property(listed, (value) => {
        expect([...jsonSlices(value)].join("")).toBe(text(encodeJson(value)));
      }),
      runs,
    );
  });

  it("the JSON of anything", () => {
    fc.assert(
      fc.property(fc.oneof(around, item), fc.integer({ min: 0, max: 20 }), (value, few) => {
        expect([...jsonSlices(value)].join("")).toBe(text(encodeJson(value)));
        expect([...jsonSlices(value, new LongValues(few))].join("")).toBe(text(encodeJson(value)));
      }),
      runs,
    );
  });

  it("its indented JSON", () => {
    fc.assert(
      fc.property(around, (value) => {
        expect([...prettyJsonSlices(value)].join("")).toBe(text(encodeJson(value, true)));
      }),
      runs,
    );
  });

  it("its YAML", () => {
    const labels = Object.fromEntries(
      many(300, (index) => [`key-${index}`, index % 7 === 0 ? "a\n\n  b\n" : "yes"]),
    );
    const object = (name: string) => ({
      metadata: { name, labels },
      spec: { none: null, list: many(300, (index) => [{ z: 1, index }, [], "x", [[index]]][index % 4]) },
    });
    const value = {
      kind: "List",
      apiVersion: "v1",
      "a: b": labels,
      items: [object("a"), { a: 1 }, "x", labels],
    };
    for (const whole of [value, value.items, labels, object("a").spec])
      expect([...yamlSlices(whole)].join("")).toBe(text(encodeYaml(whole)));
  });
});

it("slices are of bounded size, wherever the many are", () => {
  const items = many(5000, (index) => ({ index, text: "x".repeat(500) }));
  const wide = Object.fromEntries(many(100_000, (index) => [`key-${index}`, index]));
  const places = [{ items }, { spec: { template: { items } } }, [[items]], { spec: { wide } }, wide];
  const long = places.flatMap((place) => [jsonSlices(place), prettyJsonSlices(place)]);
  for (const slices of long.map((each) => [...each])) {
    expect(slices.length).toBeGreaterThan(10);
    expect(Math.max(...slices.map((slice) => slice.length))).toBeLessThan(200_000);
  }
  const sizes = [...yamlSlices({ spec: { items } })].map((slice) => slice.length);
  expect(Math.max(...sizes)).toBeLessThan(40_000);
  expect(sizes.length).toBeGreaterThan(50);
});

it.each([
  [{}, false, false, false],
  ["x", false, false, false],
  [null, false, false, false],
  [{ items: many(99, () => 1) }, false, false, false],
  [{ items: many(1000, () => 1) }, true, false, true],
  [{ a: { b: many(5000, () => ({})) } }, true, true, true],
  [{ a: Object.fromEntries(many(5000, (index) => [`k${index}`, 1])) }, true, true, true],
  [{ a: { b: many(3000, () => ({})) } }, false, true, true],
  [many(300, () => ({ a: [1, 2, 3, 4, 5, 6] })), false, true, true],
])("tells what is long (%#)", (value, json, pretty, yaml) => {
  expect([isLong(value), isLongPretty(value), isLongYaml(value)]).toEqual([json, pretty, yaml]);
});

describe("of what is stored", () => {
  const stored = (count: number) => {
    const data = Object.fromEntries(many(count, (index) => [`k${index}`, "v"]));
    const owner = { manager: "m", fieldsV1: { "f:data": data } };
    const object = { kind: "A", metadata: { name: "a", managedFields: [owner] }, data };
    freezeSized(object);
    return object;
  };
  const [short, large] = [stored(10), stored(10_000)];

  it.each<[string, unknown, unknown]>([
    ["the object", short, large],
    ["one item of a list", { items: [short, short] }, { items: [short, large] }],
    ["an item without its type", { items: [{ ...short }] }, { items: [short, { ...large }] }],
    ["a row", { rows: [{ cells: [], object: short }] }, { rows: [{ cells: [], object: large }] }],
    [
      "metadata",
      { rows: [{ cells: [], object: { kind: "P", metadata: short.metadata } }] },
      { rows: [{ cells: [], object: { kind: "P", metadata: large.metadata } }] },
    ],
    [
      "owners of fields",
      { items: [{ metadata: { ...short.metadata } }] },
      { items: [{ metadata: { ...large.metadata } }] },
    ],
  ])("it is known whether %s is long", (_what, few, many) => {
    expect([isLong(few), isLong(many)]).toEqual([false, true]);
    expect([...jsonSlices(many)].join("")).toBe(text(encodeJson(many)));
    expect([...jsonSlices(many)].length).toBeGreaterThan(1);
  });
});
