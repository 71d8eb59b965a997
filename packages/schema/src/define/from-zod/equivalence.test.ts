// For what both can say, zod and the structural schema must agree: on what is valid, and on what defaults make of it.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { kube } from "../../kube/index.js";
import { compileSchema } from "../../structural/index.js";
import { defineResource } from "../define-resource.js";
import { toStructuralSchema } from "./convert.js";

/** A schema with values that are often valid, and almost so. */
interface Sample {
  readonly schema: z.ZodType;
  readonly value: fc.Arbitrary<unknown>;
}

// zod skips `__proto__` and reads inherited keys such as `toString`; for us both are keys like any other, tested elsewhere.
const names = fc.constantFrom("a", "b", "c", "size", "my-field");
const bound = fc.integer({ min: -3, max: 3 });
const text = fc.string({ unit: "grapheme-ascii", maxLength: 4 });

const scalarSample: fc.Arbitrary<Sample> = fc.oneof(
  fc.tuple(fc.nat(2), fc.nat(3)).map(([min, more]) => ({
    schema: z
      .string()
      .min(min)
      .max(min + more),
    value: text,
  })),
  fc.constantFrom(/^[a-c]*$/, /\d/, /x|y/i).map((pattern) => ({
    schema: z.string().regex(pattern),
    value: fc.oneof(text, fc.constantFrom("abc", "a1", "X", "")),
  })),
  fc.tuple(bound, fc.nat(3), fc.boolean()).map(([min, more, exclusive]) => ({
    schema: exclusive
      ? z
          .int()
          .gt(min)
          .lt(min + more + 2)
      : z
          .int()
          .min(min)
          .max(min + more),
    value: fc.oneof(fc.integer({ min: -5, max: 8 }), fc.constant(0.5)),
  })),
  fc.constantFrom(2, 3).map((divisor) => ({ schema: z.int().multipleOf(divisor), value: fc.nat(12) })),
  fc.constant({ schema: z.int32(), value: fc.oneof(fc.integer(), fc.constantFrom(2 ** 31, -(2 ** 31))) }),
  fc.constant({ schema: z.number().min(0), value: fc.double({ noNaN: true, noDefaultInfinity: true }) }),
  fc.constant({ schema: z.boolean(), value: fc.boolean() }),
  fc.constant({ schema: z.enum(["a", "b"]), value: fc.constantFrom("a", "b", "c") }),
  fc.constant({ schema: z.literal([1, 2]), value: fc.nat(3) }),
  fc.constant({
    schema: z.union([z.literal("auto"), z.string().min(3)]),
    value: fc.constantFrom("auto", "x", "xyz"),
  }),
  fc.constant({ schema: kube.intOrString(), value: fc.oneof(text, fc.integer(), fc.boolean()) }),
  fc.constant({
    schema: z.union([z.int().min(1), z.string().min(1)]),
    value: fc.constantFrom(0, 1, "", "x"),
  }),
);

const { sample } = fc.letrec<{ sample: Sample; list: Sample; map: Sample; object: Sample }>((tie) => ({
  list: fc.tuple(tie("sample"), fc.nat(2), fc.nat(2)).map(([item, min, more]) => ({
    schema: z
      .array(item.schema)
      .min(min)
      .max(min + more),
    value: fc.array(item.value, { maxLength: 4 }),
  })),
  map: tie("sample").map((item) => ({
    schema: z.record(z.string(), item.schema),
    value: fc.dictionary(names, item.value, { maxKeys: 3 }),
  })),
  object: fc
    .dictionary(
      names,
      fc.tuple(tie("sample"), fc.constantFrom("required", "optional", "nullable", "nullish")),
      { maxKeys: 4 },
    )
    .map((fields) => {
      const entries = Object.entries(fields).map(
        ([name, [field, how]]) => [name, presence(field, how)] as const,
      );
      const shape = Object.fromEntries(entries.map(([name, field]) => [name, field.schema]));
      const values = Object.fromEntries(entries.map(([name, field]) => [name, field.value]));
      return {
        schema: z.object(shape),
        value: fc.record({ ...values, extra: fc.boolean() }, { requiredKeys: [] }),
      };
    }),
  sample: fc.oneof({ depthSize: "small" }, scalarSample, tie("list"), tie("map"), tie("object")),
}));

function presence(field: Sample, how: string): Sample {
  switch (how) {
    case "optional":
      return { schema: field.schema.optional(), value: field.value };
    case "nullable":
      return { schema: field.schema.nullable(), value: fc.option(field.value) };
    case "nullish":
      return { schema: field.schema.nullish(), value: fc.option(field.value) };
    default:
      return field;
  }
}

/** Fields with defaults, at any depth. */
const { defaulted } = fc.letrec<{ defaulted: Sample; object: Sample; list: Sample }>((tie) => ({
  object: fc
    .tuple(tie("defaulted"), tie("defaulted"), fc.constantFrom("required", "optional", "prefault"))
    .map(([a, b, how]) => {
      const schema = z.object({ a: a.schema, b: b.schema });
      const value = fc.record({ a: a.value, b: b.value, extra: fc.nat() }, { requiredKeys: [] });
      // A default must itself be valid, as Kubernetes demands.
      if (how === "prefault" && schema.safeParse({}).success) {
        return { schema: schema.prefault({ a: undefined, b: undefined }), value };
      }
      return { schema: how === "optional" ? schema.optional() : schema, value };
    }),
  list: tie("defaulted").map((item) => ({
    schema: z.array(z.object({ item: item.schema })).default([]),
    value: fc.array(fc.record({ item: item.value }, { requiredKeys: [] }), { maxLength: 3 }),
  })),
  defaulted: fc.oneof(
    { depthSize: "small" },
    fc.constant({ schema: z.int().min(0).default(3), value: fc.integer({ min: -1, max: 3 }) }),
    fc.constant({ schema: z.enum(["a", "b"]).default("a"), value: fc.constantFrom("a", "b", "c") }),
    fc.constant({ schema: z.array(z.string()).default(["x"]), value: fc.array(text, { maxLength: 2 }) }),
    fc.constant({ schema: z.boolean().optional(), value: fc.boolean() }),
    tie("object"),
    tie("list"),
  ),
}));

/** A schema, and a value for its field or any other JSON. */
const schemaAndValue = sample.chain((field) =>
  fc.tuple(
    fc.constant(z.object({ field: field.schema })),
    fc.oneof(
      { weight: 5, arbitrary: fc.record({ field: field.value }) },
      { weight: 1, arbitrary: fc.record({ field: fc.jsonValue({ maxDepth: 2 }) }, { requiredKeys: [] }) },
    ),
  ),
);

describe("zod and the structural schema", () => {
  it("make a CustomResourceDefinition that Kubernetes accepts", () => {
    fc.assert(
      fc.property(sample, defaulted, (plain, withDefaults) => {
        const spec = z.object({ plain: plain.schema, defaulted: withDefaults.schema });
        const names = { group: "a.example.com", version: "v1", kind: "Thing" };
        expect(() => defineResource({ ...names, spec })).not.toThrow();
      }),
      { numRuns: 200 },
    );
  });

  it("agree on what is valid", () => {
    let accepted = 0;
    let refused = 0;
    fc.assert(
      fc.property(schemaAndValue, ([schema, value]) => {
        const { schema: structural, problems } = toStructuralSchema(schema, "");
        expect(problems).toEqual([]);
        const json: unknown = JSON.parse(JSON.stringify(value));
        const compiled = compileSchema(structural, { resource: false });
        const byZod = schema.safeParse(json).success;
        compiled.prune(json);
        const valid = compiled.validate(json).length === 0;
        const what = JSON.stringify({ structural, json, errors: compiled.validate(json) });
        expect(`${valid} ${what}`).toBe(`${byZod} ${what}`);
        if (byZod) accepted++;
        else refused++;
      }),
      { numRuns: 1500 },
    );
    expect(accepted).toBeGreaterThan(200);
    expect(refused).toBeGreaterThan(200);
  });

  it("agree on what defaults make of a value", () => {
    fc.assert(
      fc.property(
        defaulted.chain((field) =>
          fc.tuple(
            fc.constant(z.object({ field: field.schema })),
            fc.record({ field: field.value }, { requiredKeys: [] }),
          ),
        ),
        ([schema, value]) => {
          const parsed = schema.safeParse(value);
          const { schema: structural } = toStructuralSchema(schema, "");
          const json: unknown = JSON.parse(JSON.stringify(value));
          const compiled = compileSchema(structural, { resource: false });
          compiled.applyDefaults(json);
          compiled.prune(json);
          const valid = compiled.validate(json).length === 0;
          expect(valid ? json : "invalid").toEqual(parsed.success ? parsed.data : "invalid");
        },
      ),
      { numRuns: 500 },
    );
  });
});
