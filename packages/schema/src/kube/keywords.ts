// Keywords of structural schemas that neither zod nor the rest of `kube` has a word for.
import type { JSONSchemaProps } from "@kubewright/api";
import { type AnnotationCheck, annotate } from "../define/annotation.js";

/**
 * Lays keywords over those that follow from a zod schema, whose static type stays. What they mean is not checked in
 * JavaScript, only by the API server and by `validate`.
 *
 * @example
 * z.object({ a: z.int().optional(), b: z.int().optional() }).check(kube.keywords({ maxProperties: 1 }))
 */
export function keywords(laidOver: Partial<JSONSchemaProps>): AnnotationCheck {
  return annotate({ keywords: laidOver });
}
