// Defaulting: a default is filled in where the object that holds the field exists, and the field is absent, or null
// without being nullable. A null that is neither allowed nor defaulted is dropped, as if it had not been written.
import type { PutOff } from "@kubewright/api/steps";
import {
  cloneJson,
  isContainer,
  isObject,
  type MutableJson,
  type MutableObject,
  ownValue,
  setOwn,
} from "./json-value.js";
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

/** Fills in defaults, in place; parts of long values later, where some may be. Throws a DefaultsTooLargeError. */
export function fillInDefaults(
  value: unknown,
  node: SchemaNode,
  allowance = new DefaultAllowance(),
  later?: PutOff,
): void {
  if (node.hasDefaults) new Filling(allowance, later).fillIn(value, node);
}

/** Drops nulls that are neither allowed nor defaulted, in place; parts of long values later, where some may be. */
export function dropNulls(value: unknown, node: SchemaNode, later?: PutOff): void {
  if (Array.isArray(value)) dropNullsOfItems(value, node, later);
  else if (isObject(value)) dropNullsOfObject(value, node, later);
}

function dropNullsOfItems(list: readonly unknown[], { items }: SchemaNode, later: PutOff | undefined): void {
  if (items === undefined) return;
  const dropRange = (from: number, to: number): void => {
    for (let index = from; index < to; index++) {
      const item = list[index];
      if (isContainer(item)) dropNulls(item, items, later);
    }
  };
  if (later === undefined) dropRange(0, list.length);
  else later.members(list.length, dropRange);
}

function dropNullsOfObject(object: MutableObject, node: SchemaNode, later: PutOff | undefined): void {
  const drop = (key: string): void => {
    const value = object[key];
    if (typeof value !== "object") return;
    const child = childNode(node, key);
    if (child === undefined) return;
    if (value !== null) dropNulls(value, child, later);
    else if (!child.nullable && child.default === undefined) delete object[key];
  };
  if (later === undefined) {
    for (const key in object) drop(key);
    return;
  }
  const keys = Object.keys(object);
  later.members(keys.length, (from, to) => keys.slice(from, to).forEach(drop));
}

class Filling {
  readonly #allowance: DefaultAllowance;
  readonly #later: PutOff | undefined;

  constructor(allowance: DefaultAllowance, later: PutOff | undefined) {
    this.#allowance = allowance;
    this.#later = later;
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
    const keys = Object.keys(object);
    this.#inRanges(keys.length, (from, to) => {
      for (const key of keys.slice(from, to)) {
        if (node.properties.has(key)) continue;
        if (needsDefault(object[key], others)) setOwn(object, key, this.#copy(others));
        if (others.hasDefaults) this.fillIn(object[key], others);
      }
    });
  }

  #items(items: MutableJson[], node: SchemaNode | undefined): void {
    if (node === undefined) return;
    this.#inRanges(items.length, (from, to) => {
      for (let index = from; index < to; index++) {
        if (needsDefault(items[index], node)) items[index] = this.#copy(node);
        if (node.hasDefaults) this.fillIn(items[index], node);
      }
    });
  }

  #inRanges(count: number, fill: (from: number, to: number) => void): void {
    if (this.#later === undefined) fill(0, count);
    else this.#later.members(count, fill);
  }
}

const needsDefault = (value: MutableJson | undefined, node: SchemaNode): boolean =>
  value === null && !node.nullable && node.default !== undefined;
