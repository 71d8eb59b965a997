import type { JSONSchemaProps } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { kube } from "../../kube/index.js";
import { toStructuralSchema } from "./convert.js";

function convert(schema: z.core.$ZodType): JSONSchemaProps {
  const { schema: result, problems } = toStructuralSchema(schema, "spec");
  expect(problems).toEqual([]);
  return result;
}

// A numeric enum as TypeScript compiles it.
const Level = { Low: 1, High: 2, 1: "Low", 2: "High" } as const;

const preserve = { "x-kubernetes-preserve-unknown-fields": true };

describe("a structural schema from zod: scalars", () => {
  it.each<[string, z.ZodType, JSONSchemaProps]>([
    ["string", z.string(), { type: "string" }],
    ["lengths", z.string().min(1).min(2).max(9).max(5), { type: "string", minLength: 2, maxLength: 5 }],
    ["exact length", z.string().length(3), { type: "string", minLength: 3, maxLength: 3 }],
    ["nonempty", z.string().nonempty(), { type: "string", minLength: 1 }],
    ["pattern", z.string().regex(/^a\/b\d+$/), { type: "string", pattern: "^a/b\\d+$" }],
    ["pattern flags", z.string().regex(/^a.b$/is), { type: "string", pattern: "(?is)^a.b$" }],
    [
      "pattern escapes",
      z.string().regex(/\u00e9\u{1F600}/u),
      { type: "string", pattern: "\\x{00e9}\\x{1F600}" },
    ],
    [
      "two patterns",
      z.string().startsWith("a.").endsWith("z"),
      { type: "string", pattern: "^a\\..*", allOf: [{ pattern: ".*z$" }] },
    ],
    ["email", z.email(), { type: "string", format: "email" }],
    ["format by method", z.string().max(50).email(), { type: "string", format: "email", maxLength: 50 }],
    ["url", z.url(), { type: "string", format: "uri" }],
    ["uuid", z.uuid(), { type: "string", format: "uuid" }],
    ["uuid v4", z.uuidv4(), { type: "string", format: "uuid4" }],
    ["time", z.iso.datetime(), { type: "string", format: "date-time" }],
    ["date", z.iso.date(), { type: "string", format: "date" }],
    ["ipv4", z.ipv4(), { type: "string", format: "ipv4" }],
    ["cidr", z.cidrv6(), { type: "string", format: "cidr" }],
    ["mac", z.mac(), { type: "string", format: "mac" }],
    ["hostname", z.hostname(), { type: "string", format: "hostname" }],
    ["base64", z.base64(), { type: "string", format: "byte" }],
    ["lowercase", z.string().lowercase(), { type: "string", pattern: "^[^A-Z]*$" }],
    ["ulid, by its pattern", z.ulid(), { type: "string", pattern: z.ulid()._zod.def.pattern?.source }],
    ["template literal", z.templateLiteral(["v", z.int()]), { type: "string", pattern: "^v-?\\d+$" }],
    ["number", z.number(), { type: "number" }],
    ["integer", z.int(), { type: "integer" }],
    ["integer by method", z.number().int(), { type: "integer" }],
    ["int32", z.int32(), { type: "integer", format: "int32", minimum: -2147483648, maximum: 2147483647 }],
    ["uint32", z.uint32(), { type: "integer", format: "int64", minimum: 0, maximum: 4294967295 }],
    ["float64", z.float64(), { type: "number", format: "double" }],
    ["bounds", z.int().min(0).max(10).min(3), { type: "integer", minimum: 3, maximum: 10 }],
    [
      "exclusive bounds",
      z.number().gt(0).lt(1),
      { type: "number", minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true },
    ],
    [
      "the tighter bound",
      z.number().gt(2).min(2).min(1),
      { type: "number", minimum: 2, exclusiveMinimum: true },
    ],
    ["inclusive after exclusive", z.number().gt(2).min(3), { type: "number", minimum: 3 }],
    [
      "multiples",
      z.int().multipleOf(2).multipleOf(3),
      { type: "integer", multipleOf: 2, allOf: [{ multipleOf: 3 }] },
    ],
    ["boolean", z.boolean(), { type: "boolean" }],
    ["enum", z.enum(["a", "b"]), { type: "string", enum: ["a", "b"] }],
    ["numeric enum", z.enum(Level), { type: "integer", enum: [1, 2] }],
    ["literal", z.literal("a"), { type: "string", enum: ["a"] }],
    ["literals", z.literal([1, 2.5]), { type: "number", enum: [1, 2.5] }],
    ["true", z.literal(true), { type: "boolean", enum: [true] }],
    ["anything", z.unknown(), preserve],
    ["any", z.any(), preserve],
  ])("%s", (_name, schema, expected) => {
    expect(convert(schema)).toEqual(expected);
  });
});

describe("a structural schema from zod: wrappers", () => {
  it.each<[string, z.ZodType, JSONSchemaProps]>([
    ["nullable", z.string().nullable(), { type: "string", nullable: true }],
    ["nullable enum", z.enum(["a"]).nullable(), { type: "string", enum: ["a", null], nullable: true }],
    ["nullish", z.int().nullish(), { type: "integer", nullable: true }],
    ["default", z.int().default(3), { type: "integer", default: 3 }],
    ["outer default", z.int().default(3).default(4), { type: "integer", default: 4 }],
    ["prefault", z.string().prefault("x"), { type: "string", default: "x" }],
    ["readonly", z.string().readonly(), { type: "string" }],
    ["brand", z.string().brand("Name"), { type: "string" }],
    ["nonoptional", z.string().optional().nonoptional(), { type: "string" }],
    ["lazy", z.lazy(() => z.string().min(1)), { type: "string", minLength: 1 }],
    [
      "description",
      z.string().describe("inner").optional().describe("outer"),
      { type: "string", description: "outer" },
    ],
    ["inner description", z.string().describe("inner").optional(), { type: "string", description: "inner" }],
    ["metadata", z.int().meta({ title: "T", example: 3 }), { type: "integer", title: "T", example: 3 }],
    [
      "description before a check",
      z.string().describe("d").min(1),
      { type: "string", minLength: 1, description: "d" },
    ],
  ])("%s", (_name, schema, expected) => {
    expect(convert(schema)).toEqual(expected);
  });
});

describe("a structural schema from zod: objects, lists and maps", () => {
  it.each<[string, z.ZodType, JSONSchemaProps]>([
    [
      "required and optional fields",
      z.object({ a: z.string(), b: z.string().optional(), c: z.int().default(1), d: z.string().nullable() }),
      {
        type: "object",
        properties: {
          a: { type: "string" },
          b: { type: "string" },
          c: { type: "integer", default: 1 },
          d: { type: "string", nullable: true },
        },
        required: ["a", "d"],
      },
    ],
    ["empty object", z.object({}), { type: "object" }],
    ["strict object: unknown fields are pruned", z.strictObject({}), { type: "object" }],
    ["loose object", z.looseObject({}), { type: "object", ...preserve }],
    [
      "intersection",
      z.object({ a: z.string() }).and(z.object({ b: z.int().optional() })),
      { type: "object", properties: { a: { type: "string" }, b: { type: "integer" } }, required: ["a"] },
    ],
    [
      "list",
      z.array(z.string().min(1)).min(1).max(3),
      { type: "array", items: { type: "string", minLength: 1 }, minItems: 1, maxItems: 3 },
    ],
    [
      "list of an exact length",
      z.array(z.int()).length(2),
      { type: "array", items: { type: "integer" }, minItems: 2, maxItems: 2 },
    ],
    [
      "list by keys",
      kube.listMap(z.object({ name: z.string() }), ["name"]).min(1),
      {
        type: "array",
        items: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
        minItems: 1,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
      },
    ],
    [
      "set",
      kube.listSet(z.string()),
      { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
    ],
    [
      "atomic list",
      kube.listAtomic(z.int()),
      { type: "array", items: { type: "integer" }, "x-kubernetes-list-type": "atomic" },
    ],
    ["map", z.record(z.string(), z.int()), { type: "object", additionalProperties: { type: "integer" } }],
    [
      "map with limits",
      kube.map(z.string(), { minProperties: 1, maxProperties: 9, mapType: "atomic" }),
      {
        type: "object",
        additionalProperties: { type: "string" },
        minProperties: 1,
        maxProperties: 9,
        "x-kubernetes-map-type": "atomic",
      },
    ],
    [
      "map over enumerated keys",
      z.record(z.enum(["cpu", "memory"]), z.string()),
      {
        type: "object",
        properties: { cpu: { type: "string" }, memory: { type: "string" } },
        required: ["cpu", "memory"],
      },
    ],
    [
      "map over some enumerated keys",
      z.partialRecord(z.enum(["cpu"]), z.string()),
      { type: "object", properties: { cpu: { type: "string" } } },
    ],
    ["atomic object", kube.atomic(z.object({})), { type: "object", "x-kubernetes-map-type": "atomic" }],
    [
      "a field called __proto__ is a field",
      z.object(Object.fromEntries([["__proto__", z.string()]])),
      {
        type: "object",
        properties: Object.fromEntries([["__proto__", { type: "string" }]]),
        required: ["__proto__"],
      },
    ],
  ])("%s", (_name, schema, expected) => {
    expect(convert(schema)).toEqual(expected);
  });
});

describe("a structural schema from zod: Kubernetes types", () => {
  it.each<[string, z.ZodType, JSONSchemaProps]>([
    [
      "built-in type",
      kube.SecretKeySelector,
      {
        type: "object",
        properties: {
          key: { type: "string" },
          name: { type: "string", default: "" },
          optional: { type: "boolean" },
        },
        required: ["key"],
        "x-kubernetes-map-type": "atomic",
      },
    ],
    [
      "any built-in type by name",
      kube.type("io.k8s.api.core.v1.PodOS"),
      { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    ],
    ["opaque type", kube.opaque(kube.PodTemplateSpec), { type: "object", ...preserve }],
    ["opaque list", kube.opaque(z.array(kube.Container).optional()), { type: "array", items: preserve }],
    [
      "embedded object",
      kube.embeddedResource(),
      { type: "object", ...preserve, "x-kubernetes-embedded-resource": true },
    ],
    ["schema of one's own", kube.schema<number[][]>(() => ({ type: "array" })), { type: "array" }],
    ["duration", kube.duration().default("1m"), { type: "string", format: "duration", default: "1m" }],
    ["time", kube.time(), { type: "string", format: "date-time" }],
    ["bytes", kube.bytes(), { type: "string", format: "byte" }],
  ])("%s", (_name, schema, expected) => {
    expect(convert(schema)).toEqual(expected);
  });
});
