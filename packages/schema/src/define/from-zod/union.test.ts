import type { JSONSchemaProps } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { kube } from "../../kube/index.js";
import { rule } from "../rule.js";
import { toStructuralSchema } from "./convert.js";

function convert(schema: z.core.$ZodType): JSONSchemaProps {
  const { schema: result, problems } = toStructuralSchema(schema, "spec");
  expect(problems).toEqual([]);
  return result;
}

describe("zod unions as structural schemas", () => {
  it.each<[string, z.ZodType, JSONSchemaProps]>([
    ["literals", z.union([z.literal("a"), z.enum(["b", "c"])]), { type: "string", enum: ["a", "b", "c"] }],
    ["null", z.union([z.string(), z.null()]), { type: "string", nullable: true }],
    ["int or string", kube.intOrString(), { "x-kubernetes-int-or-string": true }],
    [
      "int or string with bounds",
      z.union([z.string().regex(/%$/), z.int().min(0)]),
      { "x-kubernetes-int-or-string": true, pattern: "%$", minimum: 0 },
    ],
    [
      "alternatives of one type",
      z.union([z.literal("auto"), z.string().regex(/^\d+$/)]),
      { type: "string", anyOf: [{ enum: ["auto"] }, { pattern: "^\\d+$" }] },
    ],
    [
      "exclusive alternatives",
      z.xor([z.int().min(5), z.int().max(7)]),
      { type: "integer", oneOf: [{ minimum: 5 }, { maximum: 7 }] },
    ],
  ])("%s", (_name, schema, expected) => {
    expect(convert(schema)).toEqual(expected);
  });

  it("merges the options of a discriminated union and says which fields belong together", () => {
    const keep = z.int().optional();
    const schema = z.discriminatedUnion("type", [
      z.object({ type: z.literal("s3"), bucket: z.string(), prefix: z.string().optional(), keep }),
      z.object({ type: z.literal("disk"), "mount-path": z.string(), keep }),
      z.object({ type: z.enum(["none", "it's"]), keep }).check(rule("!has(self.keep)", "keep nothing")),
    ]);
    expect(convert(schema)).toEqual({
      type: "object",
      required: ["type"],
      properties: {
        type: { type: "string", enum: ["s3", "disk", "none", "it's"] },
        bucket: { type: "string" },
        prefix: { type: "string" },
        keep: { type: "integer" },
        "mount-path": { type: "string" },
      },
      "x-kubernetes-validations": [
        {
          rule: "!(self.type == 's3') || has(self.bucket)",
          message: "bucket is required when type is s3",
          reason: "FieldValueRequired",
          fieldPath: ".bucket",
        },
        {
          rule: "self.type == 's3' || !has(self.bucket)",
          message: "bucket may only be set when type is s3",
          reason: "FieldValueForbidden",
          fieldPath: ".bucket",
        },
        {
          rule: "self.type == 's3' || !has(self.prefix)",
          message: "prefix may only be set when type is s3",
          reason: "FieldValueForbidden",
          fieldPath: ".prefix",
        },
        {
          rule: "!(self.type == 'disk') || has(self.mount__dash__path)",
          message: "mount-path is required when type is disk",
          reason: "FieldValueRequired",
          fieldPath: ".mount-path",
        },
        {
          rule: "self.type == 'disk' || !has(self.mount__dash__path)",
          message: "mount-path may only be set when type is disk",
          reason: "FieldValueForbidden",
          fieldPath: ".mount-path",
        },
        { rule: "!(self.type in ['none', 'it\\'s']) || (!has(self.keep))", message: "keep nothing" },
      ],
    });
  });
});
