import type { JSONSchemaProps } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { compileSchema } from "./compiled-schema.js";
import { valueDepthLimit } from "./json-value.js";

const schema = (spec: JSONSchemaProps): JSONSchemaProps => ({
  type: "object",
  properties: { spec, status: { type: "string" } },
});

const inLists = (depth: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
};

const inObjects = (depth: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = { a: value };
  return value;
};

const tooDeep = `must not be nested deeper than ${valueDepthLimit} levels`;

describe.each<[what: string, spec: JSONSchemaProps]>([
  ["preserves unknown fields", { "x-kubernetes-preserve-unknown-fields": true }],
  ["knows no fields", { type: "object" }],
  ["is a list of anything", { type: "array" }],
  ["embeds an object", { type: "object", "x-kubernetes-embedded-resource": true }],
  ["is a set", { type: "array", "x-kubernetes-list-type": "set", items: {} }],
])("a value nested 100,000 deep in a schema that %s", (_what, spec) => {
  const compiled = compileSchema(schema(spec));

  it.each([
    ["lists", inLists],
    ["objects", inObjects],
  ])("is refused with an error when it is made of %s", (_container, nested) => {
    // Something else is wrong too, so that the complete check has to look.
    const value = { spec: nested(100_000), status: 5 };
    expect(compiled.normalize(value).error?.message).toContain(tooDeep);
    expect(compiled.validate(value).map(({ message }) => message)).toEqual([
      expect.stringContaining(tooDeep),
    ]);
    expect(compiled.validate({ status: 5 }, { old: value })).toHaveLength(1);
  });
});

it("a value that contains itself is refused with an error", () => {
  const value: Record<string, unknown> = { status: 5 };
  value["spec"] = [value];
  const compiled = compileSchema(schema({ type: "array" }));
  expect(compiled.normalize(value).error?.message).toContain(tooDeep);
  expect(compiled.validate(value)).toHaveLength(1);
});
