// JSON values and the few things every part of the project does with them. Keys of JSON objects come from users, so `__proto__` is a
// key like any other: it is never looked up through the prototype, and never set through it.

/** What JSON can hold: null, booleans, numbers, strings, lists and objects of them. */
export type JsonValue = string | number | boolean | null | JsonObject | readonly JsonValue[];

/** A JSON object; `undefined` means absent. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** A type with every readonly taken off, at any depth. */
export type Draft<T> = T extends (...args: never[]) => unknown
  ? T
  : T extends readonly (infer Item)[]
    ? Draft<Item>[]
    : T extends object
      ? { -readonly [Key in keyof T]: Draft<T[Key]> }
      : T;

/** True for a JSON object, false for null, lists and scalars. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of an own key; undefined for anything inherited. */
export function ownValue<T>(object: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  const value = object?.[key];
  // Objects inherit nothing but functions and `__proto__`, so most keys need no second look.
  if (typeof value !== "function" && key !== "__proto__") return value;
  return object !== undefined && Object.hasOwn(object, key) ? value : undefined;
}

/** Sets an own key, whatever its name. */
export function setOwn<T>(object: Record<string, T>, key: string, value: T): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}

/** A deep copy of a JSON value that the caller may change. */
export function cloneJson<T>(value: T): Draft<T>;
export function cloneJson(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(cloneJson);
  const fields = value as Readonly<Record<string, unknown>>;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(fields)) setOwn(copy, key, cloneJson(fields[key]));
  return copy;
}

/**
 * The JSON text of a value, as `JSON.stringify` writes it. Integers beyond 2^53, which stand as bigints in what an API server stores, are
 * written with all their digits.
 */
export function stringifyJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent) ?? "null";
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return exactText(value, indent === undefined ? undefined : " ".repeat(indent), "\n") ?? "null";
  }
}

/** The slow way, for values with a bigint in them. `line` begins a line at the depth of the value. */
function exactText(value: unknown, indent: string | undefined, line: string): string | undefined {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = indent === undefined ? "" : line + indent;
  const isList = Array.isArray(value);
  const members = isList
    ? value.map((item) => exactText(item, indent, inner) ?? "null")
    : Object.entries(value).flatMap(([key, child]) => {
        const text = exactText(child, indent, inner);
        return text === undefined ? [] : [`${JSON.stringify(key)}:${indent === undefined ? "" : " "}${text}`];
      });
  const [open, close] = isList ? "[]" : "{}";
  if (members.length === 0) return `${open}${close}`;
  const outer = indent === undefined ? "" : line;
  return `${open}${inner}${members.join(`,${inner}`)}${outer}${close}`;
}

/**
 * The value with numbers in place of bigints, rounded where they must be: what `JSON.parse` would have made of its text. Parts without
 * bigints are shared with the original, and new ones are frozen.
 */
export function roundIntegers<T>(value: T): T;
export function roundIntegers(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(roundIntegers);
    return items.some((item, index) => item !== value[index]) ? Object.freeze(items) : value;
  }
  let copy: Record<string, unknown> | undefined;
  for (const [key, before] of Object.entries(value)) {
    const after = roundIntegers(before);
    if (after === before) continue;
    copy ??= { ...value };
    setOwn(copy, key, after);
  }
  return copy ? Object.freeze(copy) : value;
}
