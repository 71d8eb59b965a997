// An intersection of objects is one object, as long as no field is said twice.
import type { JSONSchemaProps } from "@kubewright/api";
import type { z } from "zod";
import type { Walk } from "./walk.js";

const mergedKeywords = new Set([
  "type",
  "properties",
  "required",
  "x-kubernetes-validations",
  "x-kubernetes-preserve-unknown-fields",
  "description",
]);

/** Converts `z.intersection()` and `.and()`. */
export function convertIntersection(
  def: z.core.$ZodIntersectionDef,
  path: string,
  walk: Walk,
): JSONSchemaProps {
  const left = walk.convert(def.left, path);
  const right = walk.convert(def.right, path);
  if (Object.keys(left).length === 0 || Object.keys(right).length === 0) return {};
  const twice = Object.keys(left.properties ?? {}).filter((field) =>
    Object.hasOwn(right.properties ?? {}, field),
  );
  const mergeable = [left, right].every(
    (side) => side.type === "object" && Object.keys(side).every((key) => mergedKeywords.has(key)),
  );
  if (!mergeable || twice.length > 0) {
    const why = twice.length > 0 ? ` (both say ${twice.join(", ")})` : "";
    return walk.refuse(
      path,
      `only objects with different fields can be intersected${why}; use one z.object(), or .extend()`,
    );
  }
  const rules = [...(left["x-kubernetes-validations"] ?? []), ...(right["x-kubernetes-validations"] ?? [])];
  const required = [...(left.required ?? []), ...(right.required ?? [])];
  return {
    ...left,
    ...right,
    properties: { ...left.properties, ...right.properties },
    ...(required.length > 0 ? { required } : {}),
    ...(rules.length > 0 ? { "x-kubernetes-validations": rules } : {}),
  };
}
