// Lists and maps that a client sent empty. Go distinguishes them from absent ones, in defaults, validation and managed fields, until the object
// is stored as protobuf, which does not. Where a field may be omitted both are printed alike, so that an object alone cannot show it.
import { isObject } from "@kubewright/api";
import type { MutableObject } from "../mutable-json.js";
import { isEmpty } from "./normalizer.js";

const emptyFields = Symbol("emptyFields");
const none: ReadonlySet<string> = new Set();

/** Remembers the paths of fields that were sent empty; the fields of an object are as they were. */
export function rememberEmptyFields(object: object, paths: ReadonlySet<string>): void {
  if (paths.size > 0) Object.defineProperty(object, emptyFields, { value: paths, configurable: true });
}

/** The paths of the fields that were sent empty, such as `spec.ingress` or `webhooks.0.rules`. */
export function emptyFieldsOf(object: object): ReadonlySet<string> {
  return (object as { readonly [emptyFields]?: ReadonlySet<string> })[emptyFields] ?? none;
}

const emptyBytes = Symbol("emptyBytes");

/** As `rememberEmptyFields`, for byte strings, which protobuf stores. */
export function rememberEmptyBytes(object: object, paths: ReadonlySet<string>): void {
  if (paths.size > 0) Object.defineProperty(object, emptyBytes, { value: paths, configurable: true });
}

/** The paths of byte strings that are set, and empty. */
export function emptyBytesOf(object: object): ReadonlySet<string> {
  return (object as { readonly [emptyBytes]?: ReadonlySet<string> })[emptyBytes] ?? none;
}

/**
 * As storing an object does: what was sent empty is absent, and null where it is printed all the same. In place. Copies of the object, as the
 * one that is stored, still know of its empty byte strings.
 */
export function dropEmptyFields(object: MutableObject): void {
  const bytes = emptyBytesOf(object);
  if (bytes.size > 0) Object.defineProperty(object, emptyBytes, { value: bytes, enumerable: true });
  for (const path of emptyFieldsOf(object)) {
    const keys = path.split(".");
    const last = keys.pop() ?? "";
    const holder = keys.reduce<unknown>((value, key) => (isHolder(value) ? value[key] : undefined), object);
    // Parts that an update shares with the stored object are normalized already, and frozen.
    if (!isHolder(holder) || Object.isFrozen(holder) || holder[last] === undefined) continue;
    if (isEmpty(holder[last])) holder[last] = null;
  }
}

const isHolder = (value: unknown): value is MutableObject => isObject(value) || Array.isArray(value);
