import type { JSONSchemaProps } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { compileSchema } from "./compiled-schema.js";
import { compileNode, SchemaDepthError, schemaDepthLimit } from "./schema-node.js";
import { checkValue } from "./validation/check-value.js";

const named = (count: number, make: (index: number) => JSONSchemaProps): Record<string, JSONSchemaProps> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, make(index)]));

/** A schema that nests `depth` levels below its root. */
const nested = (depth: number, wrap: (inner: JSONSchemaProps) => JSONSchemaProps): JSONSchemaProps => {
  let schema: JSONSchemaProps = { type: "string" };
  for (let level = 0; level < depth; level++) schema = wrap(schema);
  return schema;
};

describe.each<[keyword: string, wrap: (inner: JSONSchemaProps) => JSONSchemaProps]>([
  ["properties", (inner) => ({ type: "object", properties: { a: inner } })],
  ["items", (inner) => ({ type: "array", items: inner })],
  ["additionalProperties", (inner) => ({ type: "object", additionalProperties: inner })],
  ["allOf", (inner) => ({ allOf: [inner] })],
  ["anyOf", (inner) => ({ anyOf: [inner] })],
  ["oneOf", (inner) => ({ oneOf: [inner] })],
  ["not", (inner) => ({ not: inner })],
])("a schema that nests %s", (_keyword, wrap) => {
  it(`is compiled and used down to ${schemaDepthLimit} levels`, () => {
    expect(compileSchema(nested(schemaDepthLimit, wrap)).validate({ a: 1 })).toBeInstanceOf(Array);
  });

  it.each([schemaDepthLimit + 1, 100_000])("is refused with a SchemaDepthError at %i levels", (depth) => {
    expect(() => compileNode(nested(depth, wrap))).toThrow(SchemaDepthError);
  });
});

it("schema validation reads only the properties an object has where its schema declares thousands", () => {
  const node = compileNode({ type: "object", properties: named(5_000, () => ({ type: "string" })) });
  let reads = 0;
  const object = new Proxy({ p7: "a", p4999: 1 } as Record<string, unknown>, {
    get(target, key) {
      reads += 1;
      return Reflect.get(target, key);
    },
  });
  expect(checkValue(node, object).map(({ field }) => field)).toEqual(["p4999"]);
  expect(reads).toBeLessThan(50);
});
