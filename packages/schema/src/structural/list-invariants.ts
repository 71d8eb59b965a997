// x-kubernetes-list-type: sets hold no value twice, map lists no key twice.
import { type FieldError, fieldError, goJson, ownValue, setOwn } from "@kubewright/api";
import { cloneJson, isObject, type MutableObject } from "./json-value.js";
import type { SchemaNode } from "./schema-node.js";

/** The duplicates in every set and map list of a value. */
export function listInvariantErrors(value: unknown, node: SchemaNode, path = ""): FieldError[] {
  const errors: FieldError[] = [];
  if (node.hasListInvariants) collect(value, node, path, errors);
  return errors;
}

function collect(value: unknown, node: SchemaNode, path: string, errors: FieldError[]): void {
  if (Array.isArray(value)) {
    for (const error of ownErrors(value, node, path)) errors.push(error);
    const { items } = node;
    if (items?.hasListInvariants)
      for (const [i, item] of value.entries()) collect(item, items, `${path}[${i}]`, errors);
  } else if (isObject(value)) {
    collectFromObject(value, node, path, errors);
  }
}

function collectFromObject(
  object: MutableObject,
  node: SchemaNode,
  path: string,
  errors: FieldError[],
): void {
  const { properties, additionalProperties: others } = node;
  for (const key of Object.keys(object)) {
    const property = properties.get(key);
    if (property !== undefined) {
      if (property.hasListInvariants)
        collect(object[key], property, path === "" ? key : `${path}.${key}`, errors);
    } else if (typeof others === "object" && others.hasListInvariants) {
      collect(object[key], others, `${path}[${key}]`, errors);
    }
  }
}

function ownErrors(items: readonly unknown[], node: SchemaNode, path: string): FieldError[] {
  if (node.listType === "set") return setErrors(items, path);
  return node.listType === "map" ? mapErrors(items, node.listMapKeys, path) : [];
}

function setErrors(items: readonly unknown[], path: string): FieldError[] {
  return repeated(items).map((index) =>
    fieldError.duplicate(`${path}[${index}]`, cloneJson(items[index], true)),
  );
}

function mapErrors(items: readonly unknown[], keys: readonly string[], path: string): FieldError[] {
  const stray = items.findIndex((item) => item !== null && !isObject(item));
  if (stray >= 0) {
    const detail = "must be an object for an array of list-type map";
    return [fieldError.invalid(`${path}[${stray}]`, cloneJson(items[stray], true), detail)];
  }
  const found = items.map((item) => keyOf(item, keys));
  return repeated(found).map((index) => fieldError.duplicate(`${path}[${index}]`, found[index]));
}

/** The part of an item that identifies it; keys that are not set are left out. */
export function keyOf(item: unknown, keys: readonly string[]): MutableObject {
  const key: MutableObject = {};
  if (!isObject(item)) return key;
  for (const name of keys.length > 1 ? keys.toSorted() : keys) {
    const value = ownValue(item, name);
    if (value !== undefined) setOwn(key, name, value);
  }
  return key;
}

/** The indices at which values occur for the second time; further repetitions are not reported. */
function repeated(values: readonly unknown[]): number[] {
  const indices: number[] = [];
  if (values.length <= 1) return indices;
  const seen = new Times();
  for (const [index, value] of values.entries()) {
    if (seen.add(value) === 2) indices.push(index);
  }
  return indices;
}

/** Whether all values are different. */
export function areUnique(values: readonly unknown[]): boolean {
  const seen = new Times();
  for (const value of values) {
    if (seen.add(value) > 1) return false;
  }
  return true;
}

/** Counts equal JSON values. */
class Times {
  /** Scalars stand for themselves: `1` and `"1"` differ. */
  readonly #scalars = new Map<unknown, number>();
  /** By their text, which might be a string among the values, too. */
  readonly #others = new Map<string, number>();

  /** Adds a value and returns how often it occurred. */
  add(value: unknown): number {
    if (typeof value !== "object" || value === null) return counted(this.#scalars, value);
    return counted(this.#others, textOf(value));
  }
}

function counted<K>(seen: Map<K, number>, key: K): number {
  const times = (seen.get(key) ?? 0) + 1;
  seen.set(key, times);
  return times;
}

/** Equal for equal JSON. */
export const textOf = (value: object): string => goJson(cloneJson(value, true));
