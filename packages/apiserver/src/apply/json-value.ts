// JSON as the engines see it: `unknown` until a guard says more. Keys come from users, so lookups see own properties
// only and `__proto__` is a key like any other.

/** A JSON object. */
export type JsonMap = Readonly<Record<string, unknown>>;

/** True for a JSON object, false for null, lists and scalars. */
export function isMap(value: unknown): value is JsonMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value at a key, or undefined. */
export function getOwn(map: JsonMap | undefined, key: string): unknown {
  return map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;
}

/** Sets a key of an object that is being built. */
export function setOwn(map: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") map[key] = value;
  else Object.defineProperty(map, key, { value, enumerable: true, writable: true, configurable: true });
}

/** A copy with the same keys. Of dictionaries with thousands of them, spreading would take twice as long. */
export function copyMap(map: JsonMap): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(map)) setOwn(copy, key, map[key]);
  return copy;
}

/** Members of long lists and maps that are compared, or copied, in less than a millisecond. */
const membersPerStep = 500;

/** The same, but undefined where it would take long. */
export function copyAtOnce(map: JsonMap, most = membersPerStep): Record<string, unknown> | undefined {
  const keys = Object.keys(map);
  if (keys.length > most) return undefined;
  const copy: Record<string, unknown> = {};
  for (const key of keys) setOwn(copy, key, map[key]);
  return copy;
}

/** The same step by step. Listing the keys of a great many takes long and cannot be paused: it has a turn of its own. */
export function copyingSteps(map: JsonMap, perStep = membersPerStep): Record<string, unknown> {
  const keys = Object.keys(map);

  const copy: Record<string, unknown> = {};
  const copied = 0;
  for (const key of keys) {
    setOwn(copy, key, map[key]);
  }
  return copy;
}

/** True when the map has no key with a value. */
export function isEmptyMap(map: JsonMap): boolean {
  for (const key of Object.keys(map)) if (map[key] !== undefined) return false;
  return true;
}

/** Equal as JSON: the order of keys and keys that are undefined do not count. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => equalJson(item, b[index]));
  }
  return isMap(a) && isMap(b) && equalMaps(a, b);
}

/** The same step by step. */
export function equalingSteps(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && equalingLists(a, b);
  if (isMap(a) && isMap(b)) return equalingMaps(a, b);
  return false;
}

function equalingLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  for (const [index, item] of a.entries()) {
    const other = b[index];
    if (item !== other && !equalingSteps(item, other)) return false;
  }
  return true;
}

function equalingMaps(a: JsonMap, b: JsonMap): boolean {
  let [seen, common] = [0, 0];
  for (const key of Object.keys(a)) {
    const value = a[key];
    if (value === undefined) continue;

    const other = getOwn(b, key);
    if (value !== other && !equalingSteps(value, other)) return false;
    common++;
  }
  // Listing the keys of a great many takes long and cannot be paused: nothing else is done in that turn.

  for (const key of Object.keys(b)) if (b[key] !== undefined) common--;
  return common === 0;
}

function equalMaps(a: JsonMap, b: JsonMap): boolean {
  let common = 0;
  for (const key of Object.keys(a)) {
    const value = a[key];
    if (value === undefined) continue;
    if (!equalJson(value, getOwn(b, key))) return false;
    common++;
  }
  for (const key of Object.keys(b)) if (b[key] !== undefined) common--;
  return common === 0;
}
