// The normalizer of one Go type: what decoding a JSON value into it and printing it again makes of the value. Compiled from type type info once.
import type { MutableJson } from "../mutable-json.js";
import type { NormalizeContext } from "./normalize-context.js";

/** Normalizes values of one type. */
export interface Normalizer {
  /**
   * The value as the server would hold it; the same one where possible. Never called with null. `holder` is the object
   * or list the value stands in.
   */
  normalize(value: MutableJson, context: NormalizeContext, holder: object): MutableJson;
  /** The zero value of this type, as Go prints it. */
  zero(): MutableJson;
  /** The stored value of null inside a map, where that is not `zero`. */
  zeroInMap?(): MutableJson;
  /** Whether a plain field of this type, tagged `omitempty`, is left out for this value. */
  isOmitted(value: MutableJson): boolean;
}

/** True for what stands for an empty slice or map. */
export function isEmpty(value: MutableJson): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value === "object" && value !== null) {
    for (const _key in value) return false;
    return true;
  }
  return value === null || value === "";
}
