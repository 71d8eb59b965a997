// A copy that may be changed in place, for defaulting handlers.
import { cloneJson, type JsonObject } from "@kubewright/api";

/** The same type without `readonly`, all the way down, except inside arbitrary JSON. */
export type Draft<T> = T extends object ? (IsAnyJson<T> extends true ? T : Writable<T>) : T;

type Writable<T> = { -readonly [K in keyof T]: Draft<T[K]> };
type IsAnyJson<T> = string extends keyof T ? (JsonObject extends T ? true : false) : false;

/** A deep copy of a JSON value that shares nothing with it. Keys are data, whatever they are called. */
export function draftOf<T>(value: T): T {
  return cloneJson<unknown>(value) as T;
}
