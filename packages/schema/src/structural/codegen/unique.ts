// Fast answers to "is every item of this list different"; anything unusual is left to the complete check.
import { stringifyJson } from "@kubewright/api";

const few = 16;

/** True when no two items of a list of scalars are the same. False may also mean that it is not a list of scalars. */
export function isUniqueSet(items: readonly unknown[]): boolean {
  if (items.some((item) => typeof item === "object")) return items.length <= 1;
  return new Set(items).size === items.length;
}

/** True when all items are objects and no two have the same keys. False may also mean that the complete check has to decide. */
export function isUniqueMap(items: readonly unknown[], keys: readonly string[]): boolean {
  if (!areObjects(items)) return false;
  if (items.length <= 1) return true;
  if (items.length > few) return new Set(items.map((item) => identity(item, keys))).size === items.length;
  for (let i = 1; i < items.length; i++) {
    for (let j = 0; j < i; j++) if (sameKeys(items[i], items[j], keys)) return false;
  }
  return true;
}

function areObjects(items: readonly unknown[]): items is readonly Record<string, unknown>[] {
  for (const item of items)
    if (typeof item !== "object" || item === null || Array.isArray(item)) return false;
  return true;
}

function sameKeys(
  a: Record<string, unknown> | undefined,
  b: Record<string, unknown> | undefined,
  keys: readonly string[],
): boolean {
  for (const key of keys) {
    const value = a?.[key];
    if (value !== b?.[key]) return typeof value === "object";
  }
  return true;
}

/** The identity of an item. Most lists have one key, and it is a string. */
function identity(item: Record<string, unknown>, keys: readonly string[]): unknown {
  const [only] = keys;
  if (keys.length === 1 && only !== undefined && typeof item[only] === "string") return item[only];
  return stringifyJson(keys.map((key) => item[key] ?? null));
}
