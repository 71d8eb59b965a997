// JSON as the engine handles it: owned by the caller, changed in place, never deeper than a limit. Keys are data, so
// `__proto__` is a key like any other.
import { isObject as isJsonObject, setOwn } from "@kubewright/api";

/** A JSON value its owner may change. Integers that a number would round are bigints; see docs/decisions/0001. */
export type MutableJson = string | number | bigint | boolean | null | MutableObject | MutableJson[];

/** A JSON object its owner may change; `undefined` means absent. */
export interface MutableObject {
  [key: string]: MutableJson | undefined;
}

/** The nesting limit of values that are walked as a whole (copied, compared, printed). */
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
  return isJsonObject(value);
}

/** The number of keys of an object, undefined ones not counted. */
export function countKeys(object: MutableObject): number {
  let keys = 0;
  for (const key of Object.keys(object)) if (object[key] !== undefined) keys++;
  return keys;
}

/** A deep copy that shares nothing with the original; with `sorted` keys, as Go prints maps. */
export function cloneJson(value: unknown, sorted = false, depth = 0): MutableJson {
  if (typeof value !== "object" || value === null) return isScalar(value) ? value : null;
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

const isScalar = (value: unknown): value is string | number | bigint | boolean =>
  typeof value !== "undefined" && typeof value !== "function" && typeof value !== "symbol" && value !== null;

/** Throws a DepthError for a value that is too deep to be walked as a whole. */
export function checkDepth(value: unknown, depth = 0): void {
  if (!isContainer(value)) return;
  if (depth >= valueDepthLimit) throw new DepthError();
  for (const item of Object.values(value)) checkDepth(item, depth + 1);
}

/** True for lists and objects. */
export const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null;
