// JSON as it is looked at here: objects by their own keys.
import { isObject } from "@kubewright/api";

/** A JSON object. */
export interface JsonRecord {
  readonly [key: string]: unknown;
}

/** True for what servers leave out when they store an object: false, 0, empty texts, lists and objects. */
export function isNothing(value: unknown): boolean {
  if (value === false || value === 0 || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}
