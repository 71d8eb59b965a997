// Fields of which one, or at most or at least one, must be set: a union without a discriminator.
import type { z } from "zod";
import { type AnnotationCheck, annotate } from "./annotation.js";
import { celFieldName } from "./cel-source.js";

/** A check for objects that have these fields. */
export interface FieldsCheck<Field extends string>
  extends Pick<AnnotationCheck, "annotation">,
    z.core.$ZodCheck<{ readonly [F in Field]?: unknown }> {}

/** At least two field names. */
export type FieldNames<Field extends string> = readonly [Field, Field, ...Field[]];

/**
 * One of the fields must be set, and no other of them.
 *
 * @example
 * z.object({ secret: z.string().optional(), configMap: z.string().optional() }).check(exactlyOneOf("secret", "configMap"))
 */
export function exactlyOneOf<const Field extends string>(...fields: FieldNames<Field>): FieldsCheck<Field> {
  return countOf(fields, "== 1", "exactly one");
}

/** No more than one of the fields may be set. */
export function atMostOneOf<const Field extends string>(...fields: FieldNames<Field>): FieldsCheck<Field> {
  return countOf(fields, "<= 1", "at most one");
}

/** One or more of the fields must be set. */
export function atLeastOneOf<const Field extends string>(...fields: FieldNames<Field>): FieldsCheck<Field> {
  return countOf(fields, ">= 1", "at least one");
}

function countOf(fields: readonly string[], comparison: string, howMany: string): AnnotationCheck {
  const present = fields.map((field) => `has(self.${celFieldName(field)})`).join(",");
  return annotate({
    rules: [
      {
        rule: `[${present}].filter(x, x == true).size() ${comparison}`,
        message: `${howMany} of the fields in [${fields.join(" ")}] must be set`,
      },
    ],
  });
}
