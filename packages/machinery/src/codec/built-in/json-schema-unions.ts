// Places in a CustomResourceDefinition's schema that hold one of two types. In Go they decode themselves, so the
// published type info says nothing of them; what they drop is not reported.
import { isObject } from "@kubewright/api";
import type { MutableJson } from "../mutable-json.js";
import type { NormalizeContext } from "./normalize-context.js";
import type { Normalizer } from "./normalizer.js";

/** The schema whose fields these are. */
export const jsonSchemaProps = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";

/** The normalizer of a field of JSONSchemaProps that type info does not describe; undefined for all others. */
export function jsonSchemaUnion(field: string, schema: () => Normalizer): Normalizer | undefined {
  switch (field) {
    case "items":
      return orArray(schema);
    case "additionalItems":
    case "additionalProperties":
      return orBool(schema);
    default:
      return undefined;
  }
}

/** A schema, or a list of them. */
function orArray(schema: () => Normalizer): Normalizer {
  return silently((value, context) => {
    if (Array.isArray(value)) {
      return value.map((item) =>
        item === null ? schema().zero() : schema().normalize(item, context, value),
      );
    }
    return isObject(value) ? schema().normalize(value, context, value) : null;
  });
}

/** A schema, or whether anything at all is allowed. */
function orBool(schema: () => Normalizer): Normalizer {
  return silently((value, context) => {
    if (typeof value === "boolean") return value;
    if (isObject(value)) return schema().normalize(value, context, value);
    context.fail("boolean or JSON schema expected");
    return false;
  });
}

/** A schema, or a list of property names. */
export function schemaOrStrings(schema: () => Normalizer): Normalizer {
  return silently((value, context) => {
    if (Array.isArray(value)) {
      const wrong = value.find((item) => typeof item !== "string");
      if (wrong !== undefined) context.fail("json: cannot unmarshal into Go value of type string");
      return value;
    }
    return isObject(value) ? schema().normalize(value, context, value) : null;
  });
}

function silently(normalize: (value: MutableJson, context: NormalizeContext) => MutableJson): Normalizer {
  return {
    normalize(value, context) {
      context.silent++;
      const normalized = normalize(value, context);
      context.silent--;
      return normalized;
    },
    zero: () => null,
    // A value of neither type decodes into nil, which is omitted once it was stored.
    isOmitted: (value) => value === null,
  };
}
