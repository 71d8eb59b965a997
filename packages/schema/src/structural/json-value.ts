// JSON as the engine handles it: owned by the caller, changed in place, never deeper than a limit. Keys are data, so
// `__proto__` is a key like any other.

/** A JSON value its owner may change. */
export type MutableJson = string | number | boolean | null | MutableObject | MutableJson[];

/** A JSON object its owner may change; `undefined` means absent. */
export interface MutableObject {
  [key: string]: MutableJson | undefined;
}

/** How deep a value may be nested where it has to be walked as a whole (copied, compared, printed). */
export const valueDepthLimit = 1000;

/** A value is nested deeper than the engine goes, or contains itself. */
export class DepthError extends Error {
  override readonly name = "DepthError";

  constructor() {
    super(`must not be nested deeper than ${valueDepthLimit} levels`);
  }
}

/** True for a JSON object, false for null, lists and scalars. */
export function isObject(value: unknown): value is MutableObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of an own key; undefined for anything inherited. */
export function ownValue(object: MutableObject, key: string): MutableJson | undefined {
  const value = object[key];
  // All that objects inherit is functions and `__proto__`, so most keys need no second look.
  if (typeof value !== "function" && key !== "__proto__") return value;
  return Object.hasOwn(object, key) ? value : undefined;
}

/** Sets an own key, whatever its name. */
export function setOwn(object: MutableObject, key: string, value: MutableJson): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}

/** How many keys an object has, undefined ones not counted. */
export function countKeys(object: MutableObject): number {
  let keys = 0;
  for (const key of Object.keys(object)) if (object[key] !== undefined) keys++;
  return keys;
}

/** A deep copy that shares nothing with the original; with `sorted` keys, as Go prints maps. */
export function cloneJson(value: unknown, sorted = false, depth = 0): MutableJson {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (typeof value !== "object" || value === null) return null;
  if (depth >= valueDepthLimit) throw new DepthError();
  if (Array.isArray(value)) return value.map((item) => cloneJson(item, sorted, depth + 1));
  const copy: MutableObject = {};
  const entries = Object.entries(value);
  if (sorted) entries.sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [key, item] of entries) {
    if (item !== undefined) setOwn(copy, key, cloneJson(item, sorted, depth + 1));
  }
  return copy;
}

/** Throws a DepthError for a value that is too deep to be walked as a whole. */
export function checkDepth(value: unknown, depth = 0): void {
  if (!isContainer(value)) return;
  if (depth >= valueDepthLimit) throw new DepthError();
  for (const item of Object.values(value)) checkDepth(item, depth + 1);
}

/** True for lists and objects. */
export const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null;
