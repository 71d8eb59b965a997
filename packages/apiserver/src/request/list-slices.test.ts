import { encodeJson, encodeYaml } from "@kubewright/machinery";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasLongList, listSlices } from "./list-slices.js";

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

const item = fc.jsonValue({ maxDepth: 3 });
const longList = item.map((value) => many(300, (index) => (index % 50 === 0 ? value : { index })));
const list = fc.record({
  kind: fc.string(),
  items: longList,
  metadata: item,
  rows: fc.array(item),
  "a: b": longList,
});

describe("a list encoded in slices", () => {
  it.each([
    ["json", (value: unknown) => text(encodeJson(value))],
    ["pretty-json", (value: unknown) => text(encodeJson(value, true))],
    ["yaml", encodeYaml],
  ] as const)("is the same %s as encoded whole", (format, whole) => {
    fc.assert(
      fc.property(list, (value) => {
        expect([...listSlices(value, format)].join("")).toBe(whole(value));
      }),
      { numRuns: 30 },
    );
  });

  it("consists of slices of bounded size", () => {
    const items = many(5000, (index) => ({ index, text: "x".repeat(500) }));
    for (const format of ["json", "pretty-json", "yaml"] as const) {
      const slices = [...listSlices({ items }, format)];
      expect(slices.length).toBeGreaterThan(10);
      expect(Math.max(...slices.map((slice) => slice.length))).toBeLessThan(140_000);
    }
  });

  it("keeps 64-bit integers", () => {
    const items = many(200, () => ({ big: 9223372036854775807n }));
    for (const format of ["json", "pretty-json", "yaml"] as const)
      expect([...listSlices({ items }, format)].join("")).toContain("9223372036854775807");
  });
});

it.each([
  [{}, false],
  ["x", false],
  [null, false],
  [{ items: many(99, () => 1) }, false],
  [{ items: many(1000, () => 1) }, true],
  [{ rows: many(100, () => 1) }, true],
  [{ a: { b: many(5000, () => ({})) } }, false],
])("hasLongList looks at the fields of the response only (%#)", (value, long) => {
  expect(hasLongList(value)).toBe(long);
});
