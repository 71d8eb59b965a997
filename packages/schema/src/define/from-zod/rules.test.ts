import type { JSONSchemaProps } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { immutable } from "../immutable.js";
import { atLeastOneOf, atMostOneOf, exactlyOneOf } from "../one-of.js";
import { rule } from "../rule.js";
import { toStructuralSchema } from "./convert.js";

function convert(schema: z.core.$ZodType): JSONSchemaProps {
  const { schema: result, problems } = toStructuralSchema(schema, "spec");
  expect(problems).toEqual([]);
  return result;
}

describe("CEL rules in a zod schema", () => {
  it("stand where they were put, at any depth, in order", () => {
    const schema = z
      .object({
        a: z.int().check(rule("self > 0")).optional().check(rule("self < 9", "too large")),
        list: z.array(
          z.string().check(rule("self != ''", { messageExpression: "'x'", reason: "FieldValueInvalid" })),
        ),
      })
      .check(rule("true", { fieldPath: ".a", optionalOldSelf: true }), rule("1 < 2"));
    expect(convert(schema)).toEqual({
      type: "object",
      required: ["list"],
      properties: {
        a: {
          type: "integer",
          "x-kubernetes-validations": [{ rule: "self > 0" }, { rule: "self < 9", message: "too large" }],
        },
        list: {
          type: "array",
          items: {
            type: "string",
            "x-kubernetes-validations": [
              { rule: "self != ''", messageExpression: "'x'", reason: "FieldValueInvalid" },
            ],
          },
        },
      },
      "x-kubernetes-validations": [
        { rule: "true", fieldPath: ".a", optionalOldSelf: true },
        { rule: "1 < 2" },
      ],
    });
  });

  it("are kept when the schema is extended or described afterwards", () => {
    const base = z.object({ a: z.string() }).check(rule("true"));
    expect(convert(base.extend({ b: z.string() }))["x-kubernetes-validations"]).toEqual([{ rule: "true" }]);
    expect(convert(base.describe("d"))["x-kubernetes-validations"]).toEqual([{ rule: "true" }]);
  });

  it("make fields immutable, and their presence too", () => {
    const schema = z.object({
      a: z.string().check(immutable()),
      "b-c": z.string().check(immutable()).optional(),
      d: z
        .string()
        .optional()
        .check(immutable({ settable: true, message: "keep d" })),
      e: z.string().default("x").check(immutable()),
    });
    const frozen = {
      type: "string",
      "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "Value is immutable" }],
    };
    expect(convert(schema)).toEqual({
      type: "object",
      required: ["a"],
      properties: {
        a: frozen,
        "b-c": frozen,
        d: { type: "string", "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "keep d" }] },
        e: { ...frozen, default: "x" },
      },
      "x-kubernetes-validations": [
        { rule: "has(self.b__dash__c) == has(oldSelf.b__dash__c)", message: "b-c: Value is immutable" },
        { rule: "!has(oldSelf.d) || has(self.d)", message: "d: keep d" },
      ],
    });
  });

  it.each([
    [
      "exactly one",
      exactlyOneOf("a", "in"),
      "[has(self.a),has(self.__in__)].filter(x, x == true).size() == 1",
    ],
    [
      "at most one",
      atMostOneOf("a", "in"),
      "[has(self.a),has(self.__in__)].filter(x, x == true).size() <= 1",
    ],
    [
      "at least one",
      atLeastOneOf("a", "in"),
      "[has(self.a),has(self.__in__)].filter(x, x == true).size() >= 1",
    ],
  ])("say that %s of some fields is set", (howMany, check, expression) => {
    const schema = z.object({ a: z.string().optional(), in: z.string().optional() }).check(check);
    expect(convert(schema)["x-kubernetes-validations"]).toEqual([
      { rule: expression, message: `${howMany} of the fields in [a in] must be set` },
    ]);
  });
});
