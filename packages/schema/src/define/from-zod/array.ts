// Lists: one type of item, and how many.
import type { JSONSchemaProps } from "@kubewright/api";
import type { z } from "zod";
import { checksOf, refuseCheck } from "./checks.js";
import type { SchemaDraft, Walk } from "./walk.js";

/** Converts `z.array()`. */
export function convertArray(
  schema: z.core.$ZodType,
  element: z.core.$ZodType,
  path: string,
  walk: Walk,
): JSONSchemaProps {
  const draft: SchemaDraft = { type: "array", items: walk.convert(element, `${path}[]`) };
  for (const check of checksOf(schema)) {
    switch (check.check) {
      case "min_length":
        draft.minItems = Math.max(check.minimum, draft.minItems ?? 0);
        break;
      case "max_length":
        draft.maxItems = Math.min(check.maximum, draft.maxItems ?? Number.POSITIVE_INFINITY);
        break;
      case "length_equals":
        draft.minItems = check.length;
        draft.maxItems = check.length;
        break;
      default:
        refuseCheck(check, path, walk);
    }
  }
  return draft;
}
