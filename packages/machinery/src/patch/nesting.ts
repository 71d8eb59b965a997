// Patches can put values into values. What they make is refused where a body nested as deeply would be.
import { maxDepth } from "../codec/json/json-inspection.js";

/** The refusal, in the words of Go's decoder. */
export const tooDeep = "exceeded max depth";

/** Whether a value is nested deeper than the decoder takes. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (depth >= maxDepth) return true;
  return Object.values(value).some((child) => isTooDeep(child, depth + 1));
}
