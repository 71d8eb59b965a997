// A structural schema that zod knows nothing of, with a static type given by hand.
import type { JSONSchemaProps } from "@kubewright/api";
import { z } from "zod";
import { annotate } from "../define/annotation.js";

/** A zod schema whose structural schema is given: what a user may write and what comes back are both `T`. */
export type KubeSchema<T> = z.ZodCustom<T, T>;

/**
 * A field with a structural schema of your own. The function is called when the CustomResourceDefinition is made.
 *
 * @example
 * const matrix = kube.schema<number[][]>(() => ({ type: "array", items: { type: "array", items: { type: "number" } } }));
 */
export function rawSchema<T>(schema: () => JSONSchemaProps): KubeSchema<T> {
  return z.custom<T>().check(annotate({ schema }));
}
