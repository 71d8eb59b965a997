import type { JSONSchemaProps, JsonValue } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { compileSchema } from "./compiled-schema.js";
import { createResourceSchema } from "./resource-schema.js";

const largest = 2n ** 63n - 1n;
const least = -(2n ** 63n);

/** JSON has no bigint in its type: they stand only in what an API server decoded. */
const json = (value: bigint): JsonValue => value as unknown as JsonValue;

const spec = (schema: JSONSchemaProps): JSONSchemaProps => ({ type: "object", properties: { spec: schema } });
const errorsOf = (schema: JSONSchemaProps, value: unknown, old?: unknown): string[] =>
  createResourceSchema(spec(schema))
    .validate({ spec: value }, old === undefined ? {} : { old: { spec: old } })
    .map(({ field, message }) => `${field}: ${message}`);

describe("an integer beyond 2^53 in a custom resource", () => {
  it.each<[what: string, schema: JSONSchemaProps, value: unknown]>([
    ["an integer", { type: "integer" }, largest],
    ["an integer of 64 bits", { type: "integer", format: "int64" }, least],
    ["a number", { type: "number" }, largest],
    ["anything", { "x-kubernetes-preserve-unknown-fields": true }, largest],
    ["an int-or-string", { "x-kubernetes-int-or-string": true }, largest],
    ["within its bounds", { type: "integer", minimum: 5, maximum: 1.5 * 2 ** 62 }, 2n ** 62n + 1n],
    ["a multiple", { type: "integer", multipleOf: 7 }, 7n * 2n ** 59n],
    ["one of an enum", { type: "integer", enum: [1, json(largest)] }, largest],
    ["one of a long enum", { type: "integer", enum: [...Array(20).keys(), json(largest)] }, largest],
    [
      "in a set",
      { type: "array", items: { type: "integer" }, "x-kubernetes-list-type": "set" },
      [1, largest],
    ],
    [
      "a key of a map list",
      {
        type: "array",
        items: { type: "object", properties: { a: { type: "integer" }, b: { type: "integer" } } },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["a", "b"],
      },
      Array.from({ length: 20 }, (_, index) => ({ a: largest - BigInt(index), b: 1 })),
    ],
    [
      "what a rule compares exactly",
      { type: "integer", "x-kubernetes-validations": [{ rule: "self == 9223372036854775807" }] },
      largest,
    ],
  ])("is valid as %s", (_what, schema, value) => {
    expect(errorsOf(schema, value)).toEqual([]);
    expect(errorsOf(schema, value, value)).toEqual([]);
  });

  it.each<[schema: JSONSchemaProps, value: unknown, error: string]>([
    [
      { type: "string" },
      largest,
      'spec: Invalid value: "integer": spec in body must be of type string: "integer"',
    ],
    [
      { type: "integer", format: "int32" },
      largest,
      '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec',
    ],
    [
      { type: "integer", maximum: 5 },
      largest,
      "spec: Invalid value: 9223372036854775807: spec in body should be less than or equal to 5",
    ],
    [
      { type: "integer", multipleOf: 2 },
      largest,
      "spec: Invalid value: 9223372036854775807: spec in body should be a multiple of 2",
    ],
    [
      { type: "integer", enum: [5] },
      largest,
      'spec: Unsupported value: 9223372036854775807: supported values: "5"',
    ],
    [
      { type: "array", items: { type: "integer" }, "x-kubernetes-list-type": "set" },
      [largest, largest],
      "spec[1]: Duplicate value: 9223372036854775807",
    ],
    [
      { type: "integer", "x-kubernetes-validations": [{ rule: "self < 9223372036854775807" }] },
      largest,
      "spec: Invalid value: 9223372036854775807: failed rule: self < 9223372036854775807",
    ],
  ])("is refused by %j", (schema, value, error) => {
    expect(errorsOf(schema, value)).toEqual([error]);
  });

  it("differs from its neighbour, which a JavaScript number does not", () => {
    const rule = { rule: "self == oldSelf" };
    const schema: JSONSchemaProps = { type: "integer", "x-kubernetes-validations": [rule] };
    expect(errorsOf(schema, largest, largest - 1n)).toHaveLength(1);
  });

  it("is filled in as a default, exactly", () => {
    for (const count of [1, 3_000]) {
      const properties = Object.fromEntries(
        Array.from({ length: count }, (_, i) => [`p${i}`, { type: "integer", default: json(largest) }]),
      );
      const value: { spec: Record<string, unknown> } = { spec: {} };
      compileSchema(spec({ type: "object", properties, default: {} })).normalize(value);
      expect(value.spec["p0"]).toBe(largest);
    }
    const inside = { spec: {} };
    compileSchema(
      spec({
        type: "object",
        properties: {
          a: { type: "object", default: { b: json(largest) }, properties: { b: { type: "integer" } } },
        },
      }),
    ).normalize(inside);
    expect(inside).toEqual({ spec: { a: { b: largest } } });
  });
});
