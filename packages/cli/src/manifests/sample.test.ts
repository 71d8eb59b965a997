import { defineResource, z } from "@kubewright/schema";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { sampleOf } from "./sample.js";

const kindWith = (spec: z.ZodType) =>
  defineResource({ group: "example.com", version: "v1", kind: "Shop", spec });

test("every field is explained; those that must be there have a value", () => {
  const text = sampleOf(
    kindWith(
      z.object({
        image: z.string().min(1).describe("What to run"),
        size: z.int().min(0).max(9).default(3).describe("How many"),
        mode: z.enum(["a", "b"]).optional(),
        door: z.object({ port: z.int().describe("Where") }).describe("The way in"),
      }),
    ),
  );
  expect(text).toBe(`# A Shop. Fields that are commented out may be left out.
apiVersion: example.com/v1
kind: Shop
metadata:
  name: shop-sample
spec:
  # What to run. Text, at least 1 character.
  image: nginx:1.27
  # How many. Whole number, 0 to 9, default 3.
  # size: 3
  # One of a, b.
  # mode: a
  # The way in.
  door:
    # Where. Whole number.
    port: 8080
`);
});

test.each([
  ["a pattern", z.object({ share: z.string().regex(/^[1-9]\d?%$/) }), { share: "25%" }],
  ["a length", z.object({ word: z.string().min(9) }), { word: "examplexx" }],
  ["bounds", z.object({ count: z.int().min(5).max(7) }), { count: 5 }],
  ["a list that may not be empty", z.object({ names: z.array(z.string()).min(1) }), { names: ["example"] }],
  ["nothing at all", z.object({ word: z.string().optional() }), {}],
])("a value is found for %s", (_, spec, expected) => {
  const kind = kindWith(spec);
  const object: unknown = parse(sampleOf(kind));
  expect(object).toMatchObject({ spec: expected });
  expect(kind.validate(object)).toEqual([]);
});

test("what cannot be guessed is said", () => {
  expect(sampleOf(kindWith(z.object({ code: z.string().regex(/^Q{7}$/) })))).toContain(
    "# To be completed: spec.code",
  );
});

test("descriptions and field names of any text stay comments and keys", () => {
  const breaks = "\r\n|\n|\r|\u0085|\u2028|\u2029".split("|");
  const text = sampleOf(
    kindWith(
      z.object({
        "a: b #": z.string().describe(breaks.map((end) => `one${end}injected: true`).join(" ")),
      }),
    ),
  );
  const object: unknown = parse(text);
  expect(Object.keys(object ?? {})).toEqual(["apiVersion", "kind", "metadata", "spec"]);
  expect(Object.keys(parse(text).spec)).toEqual(["a: b #"]);
});
