import type { JSONSchemaProps } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { compileSchema } from "./compiled-schema.js";
import { DefaultsTooLargeError } from "./defaults.js";

const object = (
  properties: Readonly<Record<string, JSONSchemaProps>>,
  more: JSONSchemaProps = {},
): JSONSchemaProps => ({ type: "object", properties, ...more });
const withSpec = (spec: JSONSchemaProps) => compileSchema(object({ spec }));

describe("schema defaulting", () => {
  const cases: readonly { what: string; spec: JSONSchemaProps; given: object; expected: object }[] = [
    {
      what: "an absent field",
      spec: object({ a: { type: "integer", default: 7 } }),
      given: {},
      expected: { a: 7 },
    },
    {
      what: "a field that is there",
      spec: object({ a: { type: "integer", default: 7 } }),
      given: { a: 0 },
      expected: { a: 0 },
    },
    {
      what: "a null that is not allowed",
      spec: object({ a: { type: "integer", default: 7 } }),
      given: { a: null },
      expected: { a: 7 },
    },
    {
      what: "a null that is allowed",
      spec: object({ a: { type: "integer", default: 7, nullable: true } }),
      given: { a: null },
      expected: { a: null },
    },
    {
      what: "a null without default is dropped",
      spec: object({ a: { type: "integer" } }),
      given: { a: null },
      expected: {},
    },
    {
      what: "a field of an object that is not there",
      spec: object({ o: object({ a: { type: "integer", default: 7 } }) }),
      given: {},
      expected: {},
    },
    {
      what: "a field of an object that is itself a default",
      spec: object({ o: object({ a: { type: "string", default: "deep" } }, { default: {} }) }),
      given: {},
      expected: { o: { a: "deep" } },
    },
    {
      what: "items of lists",
      spec: object({ l: { type: "array", items: object({ a: { type: "integer", default: 7 } }) } }),
      given: { l: [{}, { a: 1 }] },
      expected: { l: [{ a: 7 }, { a: 1 }] },
    },
    {
      what: "values of maps",
      spec: { type: "object", additionalProperties: object({ a: { type: "integer", default: 7 } }) },
      given: { x: {}, y: { a: 1 } },
      expected: { x: { a: 7 }, y: { a: 1 } },
    },
    {
      what: "nulls in maps and lists that have a default",
      spec: object({
        m: { type: "object", additionalProperties: { type: "integer", default: 1 } },
        l: { type: "array", items: { type: "integer", default: 2 } },
      }),
      given: { m: { x: null }, l: [null] },
      expected: { m: { x: 1 }, l: [2] },
    },
    {
      what: "nulls in lists stay, so that they are reported",
      spec: object({ l: { type: "array", items: { type: "integer" } } }),
      given: { l: [null] },
      expected: { l: [null] },
    },
    {
      what: "a field named like what objects inherit",
      spec: object({
        constructor: { type: "string", default: "c" },
        toString: { type: "string", default: "t" },
      }),
      given: { toString: "own" },
      expected: { constructor: "c", toString: "own" },
    },
  ];

  it.each(cases)("$what", ({ spec, given, expected }) => {
    const value = { spec: given };
    withSpec(spec).applyDefaults(value);
    expect(value).toEqual({ spec: expected });
  });

  it("copies defaults, so that changing one object leaves the next alone", () => {
    const schema = withSpec(
      object({
        o: { ...object({ l: { type: "array", items: { type: "string" } } }), default: { l: ["a"] } },
      }),
    );
    const first: { spec: { o?: { l: string[] } } } = { spec: {} };
    const second: { spec: { o?: { l: string[] } } } = { spec: {} };
    schema.applyDefaults(first);
    first.spec.o?.l.push("b");
    schema.applyDefaults(second);
    expect(second.spec.o).toEqual({ l: ["a"] });
  });

  it("never changes the prototype of an object", () => {
    const properties = JSON.parse('{"__proto__": {"type": "object", "default": {"polluted": true}}}');
    const value: Record<string, unknown> = {};
    compileSchema({ type: "object", properties }).applyDefaults(value);
    expect(Object.hasOwn(value, "__proto__")).toBe(true);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("schema defaulting of every item of a list", () => {
  const long = { type: "string", default: "x".repeat(10_000) };
  it.each<[what: string, items: JSONSchemaProps, item: unknown]>([
    ["of objects", { type: "object", properties: { a: long } }, {}],
    ["in place of null", long, null],
    ["of maps", { type: "object", additionalProperties: long }, { k: null }],
  ])("is refused when the defaults are too large: %s", (_what, items, item) => {
    const schema = compileSchema({ type: "object", properties: { list: { type: "array", items } } });
    const filled = (count: number) =>
      schema.applyDefaults({ list: Array.from({ length: count }, () => structuredClone(item)) });
    expect(() => filled(100)).not.toThrow();
    expect(() => filled(1_000)).toThrow(DefaultsTooLargeError);
    expect(() => filled(100)).not.toThrow();
  });
});
