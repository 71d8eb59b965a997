// JSON objects as the engines of apply and patch see them: `unknown` until a guard says more.
import { setOwn } from "@kubewright/api";

/** A JSON object. */
export type JsonMap = Readonly<Record<string, unknown>>;

/** A copy with the same keys. Of dictionaries with thousands of them, spreading would take twice as long. */
export function copyMap(map: JsonMap): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(map)) setOwn(copy, key, map[key]);
  return copy;
}

/** True when the map has no key with a value. */
export function isEmptyMap(map: JsonMap): boolean {
  for (const key of Object.keys(map)) if (map[key] !== undefined) return false;
  return true;
}
