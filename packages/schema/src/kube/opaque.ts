// Content that the API server keeps as it is: whole objects of other kinds, and types too large to spell out.
import type { JSONSchemaProps, UntypedObject } from "@kubewright/api";
import type { z } from "zod";
import { type KubeSchema, rawSchema } from "./raw-schema.js";

const preserve: JSONSchemaProps = { "x-kubernetes-preserve-unknown-fields": true };

/**
 * Keeps the static type and leaves the content unchecked, which keeps a CustomResourceDefinition small.
 * Nothing is defaulted inside, so what comes back is what was written.
 *
 * @example
 * template: kube.opaque(kube.PodTemplateSpec)
 */
export function opaque<T extends z.ZodType>(schema: T): KubeSchema<z.input<T>> {
  return rawSchema<z.input<T>>(() => opaqueSchema(schema));
}

function opaqueSchema(schema: z.core.$ZodType): JSONSchemaProps {
  const def: z.core.$ZodTypeDef & { readonly innerType?: z.core.$ZodType } = schema._zod.def;
  if (def.innerType !== undefined) return opaqueSchema(def.innerType);
  switch (def.type) {
    case "array":
      return { type: "array", items: preserve };
    case "object":
    case "record":
    case "custom":
      return { type: "object", ...preserve };
    default:
      return preserve;
  }
}

/** A whole object of some kind, with `apiVersion`, `kind` and `metadata`, which are checked. */
export function embeddedResource<T = UntypedObject>(): KubeSchema<T> {
  return rawSchema<T>(() => ({ type: "object", ...preserve, "x-kubernetes-embedded-resource": true }));
}
