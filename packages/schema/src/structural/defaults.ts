// Defaulting: a default is filled in where the object that holds the field exists, and the field is absent, or null
// without being nullable. A null that is neither allowed nor defaulted is dropped, as if it had not been written.
import { ownValue, setOwn } from "@kubewright/api";
import { cloneJson, isObject, type MutableJson, type MutableObject } from "./json-value.js";
import { childNode, type SchemaNode } from "./schema-node.js";

/** The defaults would make a value larger than any object that can be stored: defaults in lists are filled in once for each item. */
export class DefaultsTooLargeError extends Error {
  override readonly name = "DefaultsTooLargeError";

  constructor() {
    super("the defaults of its kind make the object too large");
  }
}

/** The limit for the defaults of one value, in characters; twice the size of the largest object. */
const mostDefaults = 3 * 1024 * 1024;

/** Counts the size of the defaults that are filled in. */
export class DefaultAllowance {
  #left = mostDefaults;

  /** Begins anew. */
  reset(): void {
    this.#left = mostDefaults;
  }

  /** Throws when there is too much. */
  take(size: number): void {
    this.#left -= size;
    if (this.#left < 0) throw new DefaultsTooLargeError();
  }
}

/** Fills in defaults, in place. Throws a DefaultsTooLargeError. */
export function fillInDefaults(value: unknown, node: SchemaNode, allowance = new DefaultAllowance()): void {
  if (!node.hasDefaults) return;
  if (Array.isArray(value)) fillInItems(value, node.items, allowance);
  else if (isObject(value)) fillInObject(value, node, allowance);
}

function fillInObject(object: MutableObject, node: SchemaNode, allowance: DefaultAllowance): void {
  for (const [name, child] of node.defaults) {
    const current = ownValue(object, name);
    if (current === undefined || (current === null && !child.nullable))
      setOwn(object, name, copyDefault(child, allowance));
  }
  for (const [name, child] of node.defaultedBelow) fillInDefaults(ownValue(object, name), child, allowance);
  const values = node.additionalProperties;
  if (typeof values !== "object" || (values.default === undefined && !values.hasDefaults)) return;
  for (const key of Object.keys(object)) {
    if (node.properties.has(key)) continue;
    if (needsDefault(object[key], values)) setOwn(object, key, copyDefault(values, allowance));
    fillInDefaults(object[key], values, allowance);
  }
}

function fillInItems(items: MutableJson[], node: SchemaNode | undefined, allowance: DefaultAllowance): void {
  if (node === undefined) return;
  for (const [index, item] of items.entries()) {
    if (needsDefault(item, node)) items[index] = copyDefault(node, allowance);
    fillInDefaults(items[index], node, allowance);
  }
}

function copyDefault(node: SchemaNode, allowance: DefaultAllowance): MutableJson {
  allowance.take(node.defaultSize);
  return cloneJson(node.default);
}

const needsDefault = (value: MutableJson | undefined, node: SchemaNode): boolean =>
  value === null && !node.nullable && node.default !== undefined;

/** Drops nulls that are neither allowed nor defaulted, in place. */
export function dropNulls(value: unknown, node: SchemaNode): void {
  if (Array.isArray(value)) {
    if (node.items === undefined) return;
    for (const item of value) dropNulls(item, node.items);
  } else if (isObject(value)) dropNullFields(value, node);
}

function dropNullFields(object: MutableObject, node: SchemaNode): void {
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (typeof value !== "object") continue;
    const child = childNode(node, key);
    if (child === undefined) continue;
    if (value !== null) dropNulls(value, child);
    else if (!child.nullable && child.default === undefined) delete object[key];
  }
}
