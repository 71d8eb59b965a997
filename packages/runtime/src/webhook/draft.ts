// A copy that may be changed in place: what a defaulting handler works on.
import type { JsonObject } from "@kubewright/api";

/** The same type without `readonly`, all the way down, except inside arbitrary JSON. */
export type Draft<T> = T extends object ? (IsAnyJson<T> extends true ? T : Writable<T>) : T;

type Writable<T> = { -readonly [K in keyof T]: Draft<T[K]> };
type IsAnyJson<T> = string extends keyof T ? (JsonObject extends T ? true : false) : false;

/** A deep copy of a JSON value that shares nothing with it. Keys are data, whatever they are called. */
export function draftOf<T>(value: T): T {
  return copy(value) as T;
}

function copy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copy);
  const fields: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    if (key === "__proto__") {
      Object.defineProperty(fields, key, {
        value: copy(field),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    } else fields[key] = copy(field);
  }
  return fields;
}
