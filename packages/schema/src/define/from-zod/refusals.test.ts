import { describe, expect, it } from "vitest";
import { z } from "zod";
import { toStructuralSchema } from "./convert.js";

interface Node {
  readonly value: string;
  readonly children: readonly Node[];
}
const recursive: z.ZodType<Node> = z.object({
  value: z.string(),
  get children() {
    return z.array(recursive);
  },
});
const endless = (): z.ZodType => z.lazy(() => z.object({ inner: endless() }));

describe("zod types without a structural form are refused, with their place and an alternative", () => {
  it.each<[string, z.ZodType, string]>([
    ["transform", z.string().transform((text) => text.length), "the API server stores what was written"],
    ["bare transform", z.transform((value) => value), "the API server stores what was written"],
    ["pipe", z.string().pipe(z.string().min(1)), "use the schema of the written value"],
    ["codec", z.stringbool(), "use the schema of the written value"],
    ["preprocess", z.preprocess((value) => value, z.string()), "use the schema of the written value"],
    ["refinement", z.string().refine((text) => text !== "x"), 'use .check(rule("<CEL expression>")) instead'],
    ["refined object", z.object({}).refine(() => true), "runs only in JavaScript"],
    ["superRefine", z.array(z.string()).superRefine(() => {}), "runs only in JavaScript"],
    [
      "refined optional",
      z
        .boolean()
        .optional()
        .refine(() => true),
      "runs only in JavaScript",
    ],
    ["trim", z.string().trim(), "change the value, which the API server stores as written"],
    ["coercion of strings", z.coerce.string(), "does not coerce values; use z.string()"],
    ["coercion of numbers", z.coerce.number(), "does not coerce values; use z.number() or z.int()"],
    ["coercion of booleans", z.coerce.boolean(), "does not coerce values; use z.boolean()"],
    ["custom", z.custom<string>(), "use a zod type, or kube.schema(…)"],
    ["instanceof", z.instanceof(Date), "use a zod type, or kube.schema(…)"],
    ["catch", z.string().catch("x"), "use .default()"],
    ["bigint", z.bigint(), "use z.int(), or z.string() beyond 2^53"],
    ["int64", z.int64(), "use z.int(), or z.string() beyond 2^53"],
    ["date", z.date(), "use kube.time(), or z.iso.date() for a day"],
    ["symbol", z.symbol(), "JSON has no symbols"],
    ["undefined", z.undefined(), "use .optional()"],
    ["void", z.void(), "use .optional()"],
    ["never", z.never(), "leave it out"],
    ["nan", z.nan(), "use z.number()"],
    ["null", z.null(), "use .nullable() on a type"],
    ["literal null", z.literal(null), "must be strings, or numbers, or booleans"],
    ["map", z.map(z.string(), z.string()), "use z.record(z.string(), …)"],
    ["set", z.set(z.string()), "use kube.listSet(…)"],
    ["tuple", z.tuple([z.string(), z.int()]), "use z.object() with a field for each position"],
    ["file", z.file(), "use kube.bytes()"],
    ["promise", z.promise(z.string()), "use the schema inside of the promise"],
    ["record with number keys", z.record(z.number(), z.string()), "use z.record(z.string(), …) and a rule()"],
    [
      "record with patterned keys",
      z.record(z.string().regex(/^a/), z.string()),
      "the keys of a map are plain strings",
    ],
    ["record with formatted keys", z.record(z.email(), z.string()), "the keys of a map are plain strings"],
    [
      "recursive object",
      recursive,
      "recursive types have no structural schema; use kube.opaque(…) or z.unknown()",
    ],
    ["endless lazy", endless(), "recursive types have no structural schema"],
    ["JSON", z.json(), "recursive types have no structural schema"],
    [
      "union of types",
      z.union([z.string(), z.boolean()]),
      "a field has one type in a structural schema; use kube.intOrString()",
    ],
    [
      "union of objects",
      z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
      "use z.discriminatedUnion()",
    ],
    ["mixed literals", z.literal(["a", 1]), "of one type"],
    ["empty enumeration", z.enum([]), "an enumeration without values accepts nothing"],
    ["only null", z.union([z.null(), z.literal(null)]), "a value that can only be null says nothing"],
    [
      "intersection of scalars",
      z.string().and(z.string()),
      "only objects with different fields can be intersected",
    ],
    [
      "intersection with a field twice",
      z.object({ a: z.string() }).and(z.object({ a: z.string() })),
      "(both say a); use one z.object(), or .extend()",
    ],
    ["catchall", z.object({ a: z.string() }).catchall(z.string()), "put the others into a z.record() field"],
    ["look-ahead", z.string().regex(/^(?!x)/), "look-around does not exist in RE2"],
    ["look-behind", z.string().regex(/(?<=x)y/), "look-around does not exist in RE2"],
    ["back-reference", z.string().regex(/(a)\1/), "back-references do not exist in RE2"],
    ["sticky pattern", z.string().regex(/a/y), "a sticky pattern"],
    ["ISO duration", z.iso.duration(), "use kube.duration()"],
    ["JWT", z.jwt(), "use z.string()"],
    ["format by function", z.stringFormat("odd", () => true), "the format odd is checked by a function"],
    ["default that is no JSON", z.unknown().default(() => new Date(0)), "the default is not JSON"],
    ["example that is no JSON", z.int().meta({ example: 1n }), "the example is not JSON"],
    [
      "union option without discriminator value",
      z.discriminatedUnion("type", [
        z.object({ type: z.literal("a"), x: z.string() }),
        z.object({ type: z.literal("b"), x: z.int() }),
      ]),
      "the field differs between the options of the union",
    ],
  ])("%s", (_name, schema, message) => {
    const { problems } = toStructuralSchema(
      z.object({ outer: z.array(z.object({ field: schema })) }),
      "spec",
    );
    expect(problems.length).toBeGreaterThan(0);
    expect(problems[0]?.field).toMatch(/^spec\.outer\[\]\.field/);
    expect(problems[0]?.message).toContain(message);
  });

  it("reports every place at once, each once", () => {
    const { problems } = toStructuralSchema(
      z.object({
        a: z.date(),
        b: z.object({ c: z.record(z.string(), z.bigint()) }),
        d: z.array(z.set(z.string())),
      }),
      "",
    );
    expect(problems.map((problem) => problem.field)).toEqual(["a", "b.c[*]", "d[]"]);
  });

  it("refuses a default inside one option of a union, which would be filled in for all", () => {
    const { problems } = toStructuralSchema(
      z.discriminatedUnion("type", [
        z.object({ type: z.literal("a"), size: z.int().default(1) }),
        z.object({ type: z.literal("b") }),
      ]),
      "spec",
    );
    expect(problems).toEqual([
      expect.objectContaining({
        field: "spec.size",
        message: expect.stringContaining("would be filled in for all of them"),
      }),
    ]);
  });
});
