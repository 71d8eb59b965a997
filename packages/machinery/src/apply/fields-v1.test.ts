import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FieldSet } from "./field-set.js";
import { FieldsV1Error, parseFieldsV1, printFieldsV1 } from "./fields-v1.js";
import { fieldElement, keyElement, PathElementError, valueElement } from "./path-element.js";

const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean());
const element = fc.oneof(
  fc.string().map(fieldElement),
  fc
    .uniqueArray(fc.tuple(fc.constantFrom("a", "b", "c"), scalar), {
      minLength: 1,
      selector: ([name]) => name,
    })
    .map((pairs) => keyElement(pairs.sort(([a], [b]) => (a < b ? -1 : 1)))),
  scalar.map(valueElement),
);
const sets = fc
  .array(fc.array(element, { minLength: 1, maxLength: 4 }), { maxLength: 10 })
  .map((paths) => FieldSet.of(...paths));

describe("FieldsV1", () => {
  it("survives being written and read", () => {
    fc.assert(
      fc.property(sets, (set) => {
        const text = JSON.stringify(printFieldsV1(set));
        const read = parseFieldsV1(JSON.parse(text));
        expect(read.equals(set)).toBe(true);
        expect(JSON.stringify(printFieldsV1(read))).toBe(text);
      }),
    );
  });

  it("is written sorted, with a dot where an inner element is a member too", () => {
    const set = FieldSet.of(
      ["f:spec", 'k:{"name":"b"}', "f:value"],
      ["f:spec", 'k:{"name":"b"}'],
      ["f:spec", 'k:{"name":"a"}'],
      ["f:metadata", "f:labels", "f:x"],
    );
    expect(JSON.stringify(printFieldsV1(set))).toBe(
      '{"f:metadata":{"f:labels":{"f:x":{}}},"f:spec":{"k:{\\"name\\":\\"a\\"}":{},"k:{\\"name\\":\\"b\\"}":{".":{},"f:value":{}}}}',
    );
  });

  it.each([
    ["null for a leaf", { "f:a": null }, { "f:a": {} }],
    ["a leaf that names itself", { "f:a": { ".": {} } }, { "f:a": {} }],
    ["elements of a future kind", { "f:a": {}, "x:b": {} }, { "f:a": {} }],
    ["keys in another spelling", { 'k:{"b":1, "a":2}': {} }, { 'k:{"a":2,"b":1}': {} }],
    ["nothing", undefined, {}],
  ])("takes %s", (_what, fields, canonical) => {
    expect(printFieldsV1(parseFieldsV1(fields))).toEqual(canonical);
  });

  it.each([
    ["a number for an object", { "f:a": 1 }, FieldsV1Error],
    ["a list", [], FieldsV1Error],
    ["an element without a kind", { spec: {} }, PathElementError],
    ["keys that are not JSON", { "k:{": {} }, PathElementError],
  ])("refuses %s", (_what, fields, error) => {
    expect(() => parseFieldsV1(fields)).toThrow(error);
  });

  it("refuses to nest without end", () => {
    let fields: object = {};
    for (let depth = 0; depth < 100_000; depth++) fields = { "f:a": fields };
    expect(() => parseFieldsV1(fields)).toThrow(FieldsV1Error);
  });
});
