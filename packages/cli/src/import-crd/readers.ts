// Readers turn what a file or a server sent into values of the types that the rest of the program relies on, or say where it is wrong.
import type { JsonValue } from "@kubewright/api";
import { UsageError } from "../command.js";

/** Returns the value, checked; throws a UsageError that names the path. */
export type Reader<T> = (value: unknown, path: string) => T;

/** Collects what is left out because nothing reads it. */
export type OnUnknown = (path: string) => void;

const needed = (path: string, what: string, value: unknown): UsageError =>
  new UsageError(`${path}: ${what} is needed, not ${brief(value)}`);

function brief(value: unknown): string {
  const text = (typeof value === "number" ? String(value) : JSON.stringify(value)) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

export const text: Reader<string> = (value, path) => {
  if (typeof value === "string") return value;
  throw needed(path, "a string", value);
};

export const flag: Reader<boolean> = (value, path) => {
  if (typeof value === "boolean") return value;
  throw needed(path, "true or false", value);
};

export const finite: Reader<number> = (value, path) => {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw needed(path, "a finite number", value);
};

export const whole: Reader<number> = (value, path) => {
  if (typeof value === "number" && Number.isInteger(value)) return value;
  throw needed(path, "a whole number", value);
};

/** Any JSON value, with finite numbers and plain objects only. */
export const json: Reader<JsonValue> = (value, path) => {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return finite(value, path);
  return Array.isArray(value) ? listOf(json)(value, path) : mapOf(json)(value, path);
};

export const oneOf =
  <const T extends string>(choices: readonly T[]): Reader<T> =>
  (value, path) => {
    const choice = choices.find((each) => each === value);
    if (choice !== undefined) return choice;
    throw needed(path, `one of ${choices.join(", ")}`, value);
  };

export const listOf =
  <T>(item: Reader<T>): Reader<readonly T[]> =>
  (value, path) => {
    if (!Array.isArray(value)) throw needed(path, "a list", value);
    return value.map((each, index) => item(each, `${path}[${index}]`));
  };

export const mapOf =
  <T>(item: Reader<T>): Reader<Readonly<Record<string, T>>> =>
  (value, path) =>
    Object.fromEntries(entriesOf(value, path).map(([key, field]) => [key, item(field, `${path}.${key}`)]));

/** The members of a plain object. */
export function entriesOf(value: unknown, path: string): readonly (readonly [key: string, value: unknown])[] {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw needed(path, "an object", value);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw needed(path, "a plain object", value);
  return Object.entries(value).filter(([, field]) => field !== undefined);
}

type Readers = Readonly<Record<string, Reader<unknown>>>;
type Fields<R extends Readers> = { readonly [K in keyof R]: ReturnType<R[K]> };

/** An object with required and optional fields. Fields without a reader are left out and reported. */
export const objectOf =
  <R extends Readers, O extends Readers>(
    required: R,
    optional: O,
    onUnknown: OnUnknown,
  ): Reader<Fields<R> & Partial<Fields<O>>> =>
  (value, path) => {
    const readers: Readers = { ...required, ...optional };
    // Null is as good as left out, as in the API server, but for fields that hold any JSON.
    const entries = entriesOf(value, path).filter(([key, field]) => field !== null || readers[key] === json);
    for (const name of Object.keys(required))
      if (!entries.some(([key]) => key === name)) throw new UsageError(`${path}: ${name} is missing`);
    const read = entries.flatMap(([key, field]) => {
      const reader = Object.hasOwn(readers, key) ? readers[key] : undefined;
      if (reader) return [[key, reader(field, `${path}.${key}`)] as const];
      onUnknown(`${path}.${key}`);
      return [];
    });
    return Object.fromEntries(read) as Fields<R> & Partial<Fields<O>>;
  };
