import { expect, it } from "vitest";
import { customSchema } from "./custom-schema.js";
import { swaggerProtobuf } from "./swagger-protobuf.js";
import { customSwaggerSchema } from "./swagger-schema.js";

const strings = (count: number) => ({
  type: "object",
  properties: Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, { type: "string" }])),
});

const pausesOf = (steps: unknown): number => {
  let pauses = 0;
  while (!steps.next().done) pauses += 1;
  return pauses;
};

it.each<[what: string, steps: (count: number) => unknown]>([
  ["for OpenAPI v3", (count) => customSchema(strings(count))],
  ["for OpenAPI v2", (count) => customSwaggerSchema(strings(count))],
  ["in protobuf", (count) => swaggerProtobuf({ definitions: { a: strings(count) } })],
])("a schema is written %s with pauses, the more the larger it is", (_what, steps) => {
  expect(pausesOf(steps(50))).toBe(0);
  expect(pausesOf(steps(20_000))).toBeGreaterThanOrEqual(20);
});

it("keeps properties whatever they are called", () => {
  const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}');
  const { properties } = customSchema(schema);
  expect(Object.keys(properties as object)).toEqual(["__proto__", "apiVersion", "kind", "metadata"]);
});
