import fc from "fast-check";
import { describe, expect, it } from "vitest";
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
  const long = [
    jsonSlices({ items }),
    ...[{ items }, { spec: { template: { items } } }, [[items]]].map(prettyJsonSlices),
  ];
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
  [{ a: { b: many(3000, () => ({})) } }, false, true, true],
  [many(300, () => ({ a: [1, 2, 3, 4, 5, 6] })), false, true, true],
])("tells what is long (%#)", (value, json, pretty, yaml) => {
  expect([isLong(value), isLongPretty(value), isLongYaml(value)]).toEqual([json, pretty, yaml]);
});
