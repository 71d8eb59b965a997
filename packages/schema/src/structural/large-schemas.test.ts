import type { JSONSchemaProps } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { compileSchema } from "./compiled-schema.js";

const many = <T>(count: number, make: (index: number) => T): { [name: string]: T } =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, make(index)]));

const object = (
  properties: { [name: string]: JSONSchemaProps },
  required: string[] = [],
): JSONSchemaProps => ({
  type: "object",
  properties,
  required,
});

const text: JSONSchemaProps = { type: "string" };

/** More than code is made for at a time: two hundred objects of fifty properties each. */
const wide = compileSchema(
  object({
    spec: object(
      many(200, () =>
        object(
          many(50, () => text),
          ["p0"],
        ),
      ),
    ),
    tail: object({ list: { type: "array", items: object({ a: text }) } }),
  }),
);
/** One object with more properties than code is made for. */
const flat = compileSchema(object({ spec: object(many(5_000, () => text)), other: text }));

describe("a schema of thousands of nodes", () => {
  const full = { p0: "a", p49: "b" };

  it("accepts valid values in every node", () => {
    const value = { spec: many(200, () => ({ ...full })), tail: { list: [{ a: "x" }] } };
    expect(wide.validate(value)).toEqual([]);
    // Code for it is made a piece at a time; until it is all there, the complete check decides.
    const checks = Array.from({ length: 20 }, () => wide.isClean(value));
    expect(checks.at(-1)).toBe(true);
  });

  it.each([
    [{ spec: { p0: { ...full, p1: 1 } } }, "spec.p0.p1"],
    [{ spec: { p199: { ...full, p1: 1 } } }, "spec.p199.p1"],
    [{ spec: { p199: { p1: "a" } } }, "spec.p199.p0"],
    [{ spec: { p150: 3 } }, "spec.p150"],
    [{ tail: { list: [{ a: 1 }] } }, "tail.list[0].a"],
  ])("reports the errors in %j", (value, field) => {
    expect(wide.isClean(value)).toBe(false);
    expect(wide.validate(value).map((error) => error.field)).toEqual([field]);
  });

  it("prunes unknown fields, near the root and far from it", () => {
    const value = { spec: { p0: { ...full, x: 1 }, p199: { ...full, y: 1 } } };
    expect(wide.isClean(value)).toBe(false);
    expect(wide.normalize(value).unknownFields).toEqual(["spec.p0.x", "spec.p199.y"]);
  });
});

describe("an object of thousands of properties", () => {
  it("is validated by the complete check, and its siblings by the generated one", () => {
    expect(flat.isClean({ other: "a" })).toBe(true);
    expect(flat.validate({ spec: { p0: "a", p4999: "b" } })).toEqual([]);
    expect(flat.validate({ spec: { p4999: 1 } }).map(({ field }) => field)).toEqual(["spec.p4999"]);
  });

  it("is filled with its defaults", () => {
    const defaulted = compileSchema(
      object({ spec: object(many(5_000, (index) => ({ type: "integer", default: index }))) }),
    );
    const value = { spec: { p1: 7 } };
    defaulted.applyDefaults(value);
    expect(value.spec).toEqual({ ...many(5_000, (index) => index), p1: 7 });
  });
});

it("a schema with thousands of anyOf alternatives is validated by the complete check", () => {
  const schema = compileSchema({
    type: "object",
    properties: {
      a: { type: "integer", anyOf: Array.from({ length: 10_000 }, (_, index) => ({ minimum: index })) },
    },
  });
  expect(schema.validate({ a: 5 })).toEqual([]);
  expect(schema.validate({ a: -1 }).length).toBeGreaterThan(0);
});
