// Lists that are sets hold no value twice; lists that are maps hold no key twice.
import { type FieldError, fieldError, goJson } from "@kubewright/api";
import { cloneJson, isObject, type MutableObject, ownValue, setOwn } from "./json-value.js";
import type { SchemaNode } from "./schema-node.js";

/** Duplicates in every set and map list of a value. */
export function listInvariantErrors(value: unknown, node: SchemaNode, path = ""): FieldError[] {
  const errors: FieldError[] = [];
  collect(value, node, path, errors);
  return errors;
}

function collect(value: unknown, node: SchemaNode, path: string, errors: FieldError[]): void {
  if (!node.hasListInvariants) return;
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
  for (const key of Object.keys(object)) {
    const property = node.properties.get(key);
    if (property !== undefined) collect(object[key], property, path === "" ? key : `${path}.${key}`, errors);
    else if (typeof node.additionalProperties === "object") {
      collect(object[key], node.additionalProperties, `${path}[${key}]`, errors);
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
  for (const name of [...keys].sort()) {
    const value = ownValue(item, name);
    if (value !== undefined) setOwn(key, name, value);
  }
  return key;
}

/** Where a value stands for the second time; further repetitions of it are not named. */
function repeated(values: readonly unknown[]): number[] {
  if (values.length <= 1) return [];
  const seen = new Map<unknown, number>();
  const indices: number[] = [];
  for (const [index, value] of values.entries()) {
    const identity = identityOf(value);
    const times = (seen.get(identity) ?? 0) + 1;
    seen.set(identity, times);
    if (times === 2) indices.push(index);
  }
  return indices;
}

/** Equal for equal JSON; scalars stand for themselves, so `1` and `"1"` differ. */
export function identityOf(value: unknown): unknown {
  if (typeof value === "object" && value !== null) return `json:${goJson(cloneJson(value, true))}`;
  return typeof value === "string" ? `string:${value}` : value;
}
