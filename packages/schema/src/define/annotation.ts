// Schema keywords that zod does not have (list types, CEL rules, built-in types) are attached to a zod schema as a
// check that always passes. Checks survive every method of a schema (`.min()`, `.extend()`, `.describe()`), keep its static type,
// and need no registry.
import type { JSONSchemaProps, ValidationRule } from "@kubewright/api";
import { z } from "zod";

/** Facts for the structural schema. */
export interface Annotation {
  /** Laid over the keywords derived from the zod schema. */
  readonly keywords?: Partial<JSONSchemaProps> | undefined;
  /** Appended to `x-kubernetes-validations`. */
  readonly rules?: readonly ValidationRule[] | undefined;
  /** Stands in for the whole schema; called when a CustomResourceDefinition is made. */
  readonly schema?: (() => JSONSchemaProps) | undefined;
  /** Rules for the object that holds the field, which need the field's name. */
  readonly parentRules?: ((field: string, optional: boolean) => readonly ValidationRule[]) | undefined;
}

/** An annotation in the form `.check()` takes, for a schema of any type. */
export interface AnnotationCheck extends z.core.$ZodCheck<unknown> {
  readonly annotation: Annotation;
}

const checkName = "kubewright";

/** Wraps an annotation so that any zod schema takes it: `schema.check(annotate({ … }))`. */
export function annotate(annotation: Annotation): AnnotationCheck {
  const check = new z.core.$ZodCheck({ check: checkName });
  check._zod.check = () => {};
  return Object.assign(check, { annotation });
}

/** True for our checks, false for zod's. */
export function isAnnotation(check: z.core.$ZodCheck): check is AnnotationCheck {
  return check._zod.def.check === checkName;
}
