import type { JSONSchemaProps } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { compileNode, nodeSteps } from "./schema-node.js";
import { checkValue } from "./validation/check-value.js";

const pausesOf = (steps: Iterator<undefined, unknown>): number => {
  let pauses = 0;
  while (!steps.next().done) pauses += 1;
  return pauses;
};

const named = (count: number, make: (index: number) => JSONSchemaProps): Record<string, JSONSchemaProps> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, make(index)]));

describe("compiling a schema", () => {
  it.each<[what: string, schema: (count: number) => JSONSchemaProps]>([
    ["properties", (count) => ({ type: "object", properties: named(count, () => ({ type: "string" })) })],
    [
      "objects",
      (count) => ({
        type: "object",
        properties: named(count, () => ({ type: "object", properties: { a: { type: "string" } } })),
      }),
    ],
    ["alternatives", (count) => ({ anyOf: Array.from({ length: count }, () => ({ required: ["a"] })) })],
  ])("pauses the more often the more %s there are, and not for a few", (_what, schema) => {
    expect(pausesOf(nodeSteps(schema(50)))).toBe(0);
    expect(pausesOf(nodeSteps(schema(20_000)))).toBeGreaterThanOrEqual(20);
  });

  it("pauses before each pattern, for any of them may be long", () => {
    const schema = { properties: named(10, (index) => ({ type: "string", pattern: `^a{${index}}$` })) };
    expect(pausesOf(nodeSteps(schema))).toBeGreaterThanOrEqual(10);
  });
});

it("looks only at what an object has where its schema declares thousands of properties", () => {
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
