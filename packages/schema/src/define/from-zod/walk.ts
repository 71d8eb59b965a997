// The context that the converters share: the conversion of nested schemas, and the list of problems.
import type { FieldError, JSONSchemaProps } from "@kubewright/api";
import type { z } from "zod";

/** One conversion of a zod schema. Problems are collected, so that all of them can be reported at once. */
export interface Walk {
  /** The structural schema of a nested zod schema that stands at `path`. */
  convert(schema: z.core.$ZodType, path: string): JSONSchemaProps;
  /** Notes why the schema at `path` cannot be said in a CustomResourceDefinition; the result stands in for it. */
  refuse(path: string, message: string): JSONSchemaProps;
}

/** A walk's problems, in the terms of a ValidationError. */
export function refusal(field: string, message: string): FieldError {
  return { field, reason: "FieldValueInvalid", message };
}

/** A JSONSchemaProps while it is being built. */
export type SchemaDraft = { -readonly [K in keyof JSONSchemaProps]: JSONSchemaProps[K] };

/** The path of a field below `path`. */
export function fieldPath(path: string, field: string): string {
  return path === "" ? field : `${path}.${field}`;
}
