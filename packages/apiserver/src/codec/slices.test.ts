import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeJson, encodeYaml } from "./encode.js";
import { jsonSlices, longListOf, prettyJsonSlices, yamlSlices } from "./slices.js";

const list = fc
  .tuple(
    fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })),
    fc.array(fc.jsonValue({ maxDepth: 3 }), { minLength: 1 }),
  )
  .map(([rest, items]) => ({ kind: "List", ...rest, items, metadata: { resourceVersion: "1" } }));

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

describe("slices make up", () => {
  it("the JSON of the whole", () => {
    fc.assert(
      fc.property(list, (value) => {
        expect([...jsonSlices(value, "items")].join("")).toBe(text(encodeJson(value)));
      }),
    );
  });

  it("its indented JSON", () => {
    fc.assert(
      fc.property(list, (value) => {
        expect([...prettyJsonSlices(value, "items")].join("")).toBe(text(encodeJson(value, true)));
      }),
    );
  });

  it("its YAML", () => {
    const item = {
      metadata: { name: "a", labels: { b: "yes", a: "x\ny" } },
      spec: { list: [{ z: 1 }, []], none: null },
    };
    const value = {
      kind: "List",
      apiVersion: "v1",
      metadata: { resourceVersion: "1" },
      items: [item, { a: 1 }, "x"],
    };
    expect([...yamlSlices(value, "items")].join("")).toBe(text(encodeYaml(value)));
  });
});

it("slices of a long list are of bounded size", () => {
  const items = Array.from({ length: 5000 }, (_, index) => ({ index, text: "x".repeat(500) }));
  const slices = [...jsonSlices({ items }, "items")];
  expect(slices.length).toBeGreaterThan(10);
  expect(Math.max(...slices.map(({ length }) => length))).toBeLessThan(150_000);
});

it.each([
  [{ items: Array(100).fill(1) }, "items"],
  [{ rows: Array(100).fill(1), columnDefinitions: Array(200).fill(1) }, "columnDefinitions"],
  [{ items: Array(99).fill(1) }, undefined],
  [{ spec: { items: Array(1000).fill(1) } }, undefined],
  [Array(1000).fill(1), undefined],
  [null, undefined],
])("finds the long list of an object (%#)", (value, name) => {
  expect(longListOf(value)).toBe(name);
});
