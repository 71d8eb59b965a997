// Objects that programs put together hold what JSON cannot: a Date, a bigint, NaN. On their way to a server these would be changed, dropped or
// rounded without a word, so they are found here, with their place.
import { type FieldError, fieldError, setOwn } from "@kubewright/api";
import {
  DepthError,
  type MutableJson,
  type MutableObject,
  valueDepthLimit,
} from "../structural/json-value.js";

/** A copy that shares nothing with the original, and what in the original is no JSON. */
export interface JsonCopy {
  readonly copy: MutableJson;
  readonly problems: readonly FieldError[];
}

/** Copies a value as JSON; what is undefined is absent. */
export function copyJson(value: unknown): JsonCopy {
  const copier = new Copier();
  try {
    return { copy: copier.copy(value, "", 0), problems: copier.problems };
  } catch (error) {
    if (!(error instanceof DepthError)) throw error;
    const problem = { field: "", reason: "FieldValueInvalid", message: error.message } as const;
    return { copy: null, problems: [problem] };
  }
}

class Copier {
  readonly problems: FieldError[] = [];

  copy(value: unknown, path: string, depth: number): MutableJson {
    if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
    if (typeof value === "number" && Number.isFinite(value)) return value;
    if (depth >= valueDepthLimit) throw new DepthError();
    if (Array.isArray(value)) {
      return value.map((item, index) => this.copy(item, `${path}[${index}]`, depth + 1));
    }
    return isPlainObject(value) ? this.#copyObject(value, path, depth) : this.#refuse(value, path);
  }

  #copyObject(object: object, path: string, depth: number): MutableObject {
    const copy: MutableObject = {};
    for (const [key, item] of Object.entries(object)) {
      if (item === undefined) continue;
      setOwn(copy, key, this.copy(item, path === "" ? key : `${path}.${key}`, depth + 1));
    }
    return copy;
  }

  #refuse(value: unknown, path: string): null {
    this.problems.push(fieldError.typeInvalid(path, nameOf(value), "must be JSON"));
    return null;
  }
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || isForeignObject(prototype);
}

/** Objects of another realm (a worker, a test's sandbox) have a root prototype that is not ours. */
const isForeignObject = (prototype: unknown): boolean =>
  typeof prototype === "object" && prototype !== null && Object.getPrototypeOf(prototype) === null;

function nameOf(value: unknown): string {
  if (typeof value === "object" && value !== null) return value.constructor.name;
  return typeof value === "number" ? String(value) : typeof value;
}
