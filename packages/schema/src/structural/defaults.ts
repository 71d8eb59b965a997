// Defaulting: a default is filled in where the object that holds the field exists, and the field is absent, or null
// without being nullable. A null that is neither allowed nor defaulted is dropped, as if it had not been written.
import { cloneJson, isObject, type MutableJson, type MutableObject, ownValue, setOwn } from "./json-value.js";
import { childNode, type SchemaNode } from "./schema-node.js";

/** A value would become larger by its defaults than anyone could store: defaults in lists come once for each item. */
export class DefaultsTooLargeError extends Error {
  override readonly name = "DefaultsTooLargeError";

  constructor() {
    super("the defaults of its kind make the object too large");
  }
}

/** How much may be filled in at a time, in characters; twice what can be stored. */
const mostDefaults = 3 * 1024 * 1024;

/** Counts what is filled in. */
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
  if (node.hasDefaults) new Filling(allowance).fillIn(value, node);
}

/** Drops nulls that are neither allowed nor defaulted, in place. */
export function dropNulls(value: unknown, node: SchemaNode): void {
  if (Array.isArray(value)) {
    const { items } = node;
    if (items !== undefined) for (const item of value) if (typeof item === "object") dropNulls(item, items);
  } else if (isObject(value)) {
    dropNullsOfObject(value, node);
  }
}

function dropNullsOfObject(object: MutableObject, node: SchemaNode): void {
  for (const key in object) {
    const value = object[key];
    if (typeof value !== "object") continue;
    const child = childNode(node, key);
    if (child === undefined) continue;
    if (value !== null) dropNulls(value, child);
    else if (!child.nullable && child.default === undefined) delete object[key];
  }
}

class Filling {
  readonly #allowance: DefaultAllowance;

  constructor(allowance: DefaultAllowance) {
    this.#allowance = allowance;
  }

  fillIn(value: unknown, node: SchemaNode): void {
    if (Array.isArray(value)) this.#items(value, node.items);
    else if (isObject(value)) this.#object(value, node);
  }

  #copy(node: SchemaNode): MutableJson {
    this.#allowance.take(node.defaultSize);
    return cloneJson(node.default);
  }

  #object(object: MutableObject, node: SchemaNode): void {
    for (const [name, child] of node.defaults) {
      const current = ownValue(object, name);
      if (current === undefined || (current === null && !child.nullable))
        setOwn(object, name, this.#copy(child));
    }
    for (const [name, child] of node.defaultedBelow) this.fillIn(ownValue(object, name), child);
    const others = node.additionalProperties;
    if (typeof others === "object") this.#others(object, node, others);
  }

  #others(object: MutableObject, node: SchemaNode, others: SchemaNode): void {
    if (others.default === undefined && !others.hasDefaults) return;
    for (const key of Object.keys(object)) {
      if (node.properties.has(key)) continue;
      if (needsDefault(object[key], others)) setOwn(object, key, this.#copy(others));
      if (others.hasDefaults) this.fillIn(object[key], others);
    }
  }

  #items(items: MutableJson[], node: SchemaNode | undefined): void {
    if (node === undefined) return;
    for (const [index, item] of items.entries()) {
      if (needsDefault(item, node)) items[index] = this.#copy(node);
      if (node.hasDefaults) this.fillIn(items[index], node);
    }
  }
}

const needsDefault = (value: MutableJson | undefined, node: SchemaNode): boolean =>
  value === null && !node.nullable && node.default !== undefined;
