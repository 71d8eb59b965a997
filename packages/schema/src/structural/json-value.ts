// JSON as the engine handles it: owned by the caller, changed in place, never deeper than a limit. Keys are data, so
// `__proto__` is a key like any other.
import type { Pace } from "@kubewright/api/steps";

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

/** Throws a DepthError for a value that cannot be walked as a whole; pauses now and then. */
export function depthSteps(value: unknown, pace: Pace): void {
  const pending = isContainer(value) ? [value] : [];
  const depths = [0];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const depth = depths.pop() ?? 0;
    if (depth >= valueDepthLimit) throw new DepthError();
    const before = pending.length;

    for (let count = before; count < pending.length; count++) depths.push(depth + 1);
  }
}

/** So many values are worked on in well under a millisecond. */
const fewValues = 2_000;

/** It takes milliseconds to look at so many in one list or object. */
const manyValues = 10_000;

/** The keys of an object, where someone knows them already. */
export type KnownKeys = (object: object) => readonly string[] | undefined;

/**
 * Whether working on a value takes so long that others should have their turn meanwhile. Stops looking as soon as it knows, but merely
 * beginning to list a great many keys takes long.
 */
export function isLong(value: unknown, known?: KnownKeys): boolean {
  const pending = isContainer(value) ? [value] : [];
  let count = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const keys = known?.(next)?.length ?? 0;
    count += keys > fewValues ? keys : addContainers(next, pending, fewValues);
    if (count > fewValues) return true;
  }
  return false;
}

/** Adds the lists and objects in a list or object; returns the number of all that is in it, if it is not more than asked for. */
function addContainers(container: object, found: object[], most = Number.POSITIVE_INFINITY): number {
  let count = 0;
  if (Array.isArray(container)) {
    if (container.length > most) return container.length;
    for (const item of container) if (isContainer(item)) found.push(item);
    return container.length;
  }
  if (!isObject(container)) return count;
  // The values of an object with a great many keys are to be had by key in a third of the time it takes to ask for all.
  for (const key in container) {
    if (++count > most) break;
    const item = container[key];
    if (isContainer(item)) found.push(item);
  }
  return count;
}

/** True for lists and objects. */
export const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null;

/** The order in which paths are told. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
