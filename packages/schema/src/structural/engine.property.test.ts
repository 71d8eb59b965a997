// The algebra of the engine, over schemas and values made up together.
import type { JSONSchemaProps } from "@kubewright/api";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { generateDefaulter } from "./codegen/generate-defaulter.js";
import { compileSchema } from "./compiled-schema.js";
import { fillInDefaults } from "./defaults.js";
import { embeddedErrors } from "./embedded/embedded-objects.js";
import { listInvariantErrors } from "./list-invariants.js";
import { compileNode } from "./schema-node.js";
import { checkValue } from "./validation/check-value.js";

const name = fc.constantFrom("a", "b", "c", "constructor");
const small = fc.integer({ min: -3, max: 9 });
const scalar = fc.oneof(
  fc.constantFrom("", "a", "b", "xyz", "😀😀", "2020-01-02", "5"),
  small,
  fc.double({ min: -2, max: 9, noNaN: true }),
  fc.boolean(),
  fc.constant(null),
);

const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 3 });
const compact = (schema: object): JSONSchemaProps =>
  Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));

const keywords = fc.record({
  minimum: optional(small),
  maximum: optional(fc.oneof(small, fc.constant(2.5))),
  exclusiveMaximum: optional(fc.boolean()),
  multipleOf: optional(fc.constantFrom(1, 2, 0.5)),
  minLength: optional(fc.integer({ min: 0, max: 3 })),
  maxLength: optional(fc.integer({ min: 1, max: 4 })),
  pattern: optional(fc.constantFrom("^a", "[xyz]$", "^(a|b)*$")),
  minItems: optional(fc.integer({ min: 0, max: 2 })),
  maxItems: optional(fc.integer({ min: 1, max: 3 })),
  minProperties: optional(fc.integer({ min: 0, max: 2 })),
  maxProperties: optional(fc.integer({ min: 1, max: 3 })),
  enum: optional(fc.array(scalar, { minLength: 1, maxLength: 3 })),
  required: optional(fc.uniqueArray(name, { maxLength: 2 })),
});

const scalarSchema = fc
  .record({
    type: fc.constantFrom("string", "integer", "number", "boolean"),
    format: optional(fc.constantFrom("int32", "date", "float", "unknown")),
    nullable: optional(fc.boolean()),
    default: optional(scalar),
    keywords: optional(keywords),
  })
  .map(({ keywords: more, ...schema }) => compact({ ...schema, ...more }));

const extensions = fc.record({
  nullable: optional(fc.boolean()),
  default: optional(fc.constant({})),
  "x-kubernetes-preserve-unknown-fields": optional(fc.constant(true)),
});
const alternatives = fc.record({
  anyOf: optional(fc.array(keywords.map(compact), { minLength: 1, maxLength: 2 })),
  oneOf: optional(fc.array(keywords.map(compact), { minLength: 1, maxLength: 2 })),
  allOf: optional(fc.array(keywords.map(compact), { minLength: 1, maxLength: 2 })),
  not: optional(keywords.map(compact)),
});
const rarely = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 1 });

const { schema } = fc.letrec<{ schema: JSONSchemaProps }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalarSchema,
    fc.constant<JSONSchemaProps>({
      "x-kubernetes-int-or-string": true,
      anyOf: [{ type: "integer" }, { type: "string" }],
    }),
    fc
      .record({
        properties: fc.dictionary(name, tie("schema"), { maxKeys: 3 }),
        more: extensions,
        keywords: rarely(keywords),
        junctors: rarely(alternatives),
      })
      .map(({ properties, more, keywords: own, junctors }) =>
        compact({ type: "object", properties, ...more, ...own, ...junctors }),
      ),
    fc
      .record({
        additionalProperties: tie("schema"),
        nullable: optional(fc.boolean()),
        keywords: rarely(keywords),
      })
      .map(({ keywords: own, ...map }) => compact({ type: "object", ...map, ...own })),
    fc
      .record({
        items: tie("schema"),
        listType: optional(fc.constantFrom("set", "map", "atomic")),
        keywords: rarely(keywords),
      })
      .map(({ items, listType, keywords: own }) =>
        compact({
          type: "array",
          items,
          "x-kubernetes-list-type": listType,
          "x-kubernetes-list-map-keys": listType === "map" ? ["a"] : undefined,
          ...own,
        }),
      ),
  ),
}));

const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.oneof(name, fc.constant("unknown")), tie("value"), { maxKeys: 4 }),
  ),
}));

/** A value that mostly fits a schema, so that more than the first check is reached. */
function fitting(of: JSONSchemaProps): fc.Arbitrary<unknown> {
  const likely = fitsType(of);
  return fc.oneof({ arbitrary: likely, weight: 6 }, { arbitrary: anyValue, weight: 1 });
}

function fitsType(of: JSONSchemaProps): fc.Arbitrary<unknown> {
  if (of.enum !== undefined) return fc.constantFrom(...of.enum);
  switch (of.type) {
    case "integer":
      return small;
    case "string":
      return fc.constantFrom("", "a", "ab", "xyz", "😀😀", "2020-01-02");
    case "boolean":
      return fc.boolean();
    case "array":
      return typeof of.items === "object" && !Array.isArray(of.items)
        ? fc.array(fitting(of.items as JSONSchemaProps), { maxLength: 3 })
        : anyValue;
    case "object": {
      const { additionalProperties } = of;
      if (typeof additionalProperties === "object")
        return fc.dictionary(name, fitting(additionalProperties), { maxKeys: 3 });
      const fields = Object.entries(of.properties ?? {}).map(
        ([key, child]) => [key, fitting(child)] as const,
      );
      return fc.record(Object.fromEntries(fields), { requiredKeys: [] });
    }
    default:
      return scalar;
  }
}

const schemaAndValue = schema
  .map((spec): JSONSchemaProps => ({ type: "object", properties: { spec } }))
  .chain((root) => fc.tuple(fc.constant(root), fitting(root)));

const copy = <T>(value: T): T => structuredClone(value);
const runs = { numRuns: 1500 };

describe("schema engine, for any schema and value", () => {
  it("defaulting twice is defaulting once", () => {
    fc.assert(
      fc.property(schemaAndValue, ([root, value]) => {
        const compiled = compileSchema(root);
        const once = copy(value);
        compiled.applyDefaults(once);
        const twice = copy(once);
        compiled.applyDefaults(twice);
        expect(twice).toEqual(once);
      }),
      runs,
    );
  });

  it("the generated defaulter does what the general one does", () => {
    fc.assert(
      fc.property(schemaAndValue, ([root, value]) => {
        const node = compileNode(root);
        const generated = copy(value);
        generateDefaulter(node)(generated);
        const general = copy(value);
        fillInDefaults(general, node);
        expect(generated).toEqual(general);
      }),
      runs,
    );
  });

  it("pruning twice is pruning once, and reports what went", () => {
    fc.assert(
      fc.property(schemaAndValue, ([root, value]) => {
        const compiled = compileSchema(root);
        const once = copy(value);
        const removed = compiled.prune(once);
        const twice = copy(once);
        expect(compiled.prune(twice)).toEqual([]);
        expect(twice).toEqual(once);
        expect(removed.length === 0).toBe(JSON.stringify(once) === JSON.stringify(value));
      }),
      runs,
    );
  });

  it("normalizing twice is normalizing once, and validates alike", () => {
    fc.assert(
      fc.property(schemaAndValue, ([root, value]) => {
        const compiled = compileSchema(root);
        const once = copy(value);
        compiled.normalize(once);
        const errors = compiled.validate(once);
        const twice = copy(once);
        expect(compiled.normalize(twice).unknownFields).toEqual([]);
        expect(twice).toEqual(once);
        expect(compiled.validate(twice)).toEqual(errors);
      }),
      runs,
    );
  });

  it("the generated check never accepts a value that the complete one refuses", () => {
    let yes = 0;
    fc.assert(
      fc.property(schemaAndValue, ([root, value]) => {
        const compiled = compileSchema(root);
        if (!compiled.isClean(value)) return;
        yes++;
        const node = compileNode(root);
        const pruned = copy(value);
        expect(compiled.prune(pruned)).toEqual([]);
        expect([
          ...checkValue(node, value),
          ...embeddedErrors(value, node),
          ...listInvariantErrors(value, node),
        ]).toEqual([]);
      }),
      { numRuns: 4000 },
    );
    expect(yes).toBeGreaterThan(200);
  });

  it("the generated check accepts valid values, except unusual ones that it leaves to the complete one", () => {
    let valid = 0;
    let unsure = 0;
    fc.assert(
      fc.property(schemaAndValue, ([root, value]) => {
        const compiled = compileSchema(root);
        const normal = copy(value);
        compiled.applyDefaults(normal);
        if (compiled.prune(copy(normal)).length > 0 || compiled.validate(normal).length > 0) return;
        valid++;
        if (!compiled.isClean(normal)) unsure++;
      }),
      { numRuns: 3000 },
    );
    expect(unsure).toBeLessThan(valid * 0.15);
  });

  it("an update that changes nothing is accepted, where old and new can be compared", () => {
    fc.assert(
      fc.property(schemaAndValue, ([root, value]) => {
        const compiled = compileSchema(root);
        compiled.normalize(value);
        const created = compiled.validate(value);
        const updated = compiled.validate(value, { old: copy(value) });
        expect(created).toEqual(expect.arrayContaining(updated));
        if (!/preserve-unknown|"map"/.test(JSON.stringify(root))) expect(updated).toEqual([]);
      }),
      runs,
    );
  });
});
