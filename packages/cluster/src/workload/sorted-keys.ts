// Objects in the order in which Go writes maps, for what is compared as text.
import { isObject } from "@kubewright/api";

/** The same value with the keys of every object in order. */
export function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (!isObject(value)) return value;
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  return Object.fromEntries(names.sort().map((name) => [name, withSortedKeys(value[name])]));
}
