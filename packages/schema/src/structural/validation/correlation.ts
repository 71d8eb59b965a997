// Ratcheting: on update, what is wrong with a value that did not change is let through. For that the old value of every
// place is looked up on the way down: by key in objects, by map keys in map lists; items of other lists have none.
import { deepEqual, ownValue } from "@kubewright/api";
import { isObject, type MutableObject } from "../json-value.js";
import { keyOf, textOf } from "../list-invariants.js";
import { childNode, type SchemaNode } from "../schema-node.js";

/** A value together with the one it replaces. */
export class Correlation {
  readonly #node: SchemaNode;
  readonly #value: unknown;
  readonly #old: unknown;
  #equal: boolean | undefined;
  #oldItems: ReadonlyMap<string, unknown> | undefined;

  constructor(node: SchemaNode, value: unknown, old: unknown) {
    this.#node = node;
    this.#value = value;
    this.#old = old;
  }

  /** The correlation of a field; undefined when there was no such field, or the schema does not know it. */
  key(field: string): Correlation | undefined {
    if (!isObject(this.#value) || !isObject(this.#old)) return undefined;
    const value = ownValue(this.#value, field);
    const old = ownValue(this.#old, field);
    const node = childNode(this.#node, field);
    if (value === undefined || old === undefined || node === undefined) return undefined;
    return new Correlation(node, value, old);
  }

  /** The correlation of an item; undefined unless the list is a map and had an item with the same keys. */
  index(index: number): Correlation | undefined {
    const { items } = this.#node;
    if (items === undefined || !Array.isArray(this.#value) || this.#node.listType !== "map") return undefined;
    this.#oldItems ??= this.#itemsByKey();
    const item: unknown = this.#value[index];
    const old = this.#oldItems.get(this.#keyText(item));
    return old === undefined ? undefined : new Correlation(items, item, old);
  }

  /** Of items with the same keys, the first counts. */
  #itemsByKey(): ReadonlyMap<string, unknown> {
    const items = new Map<string, unknown>();
    if (!Array.isArray(this.#old)) return items;
    for (const item of this.#old) {
      const key = this.#keyText(item);
      if (!items.has(key)) items.set(key, item);
    }
    return items;
  }

  #keyText(item: unknown): string {
    return textOf(keyOf(item, this.#node.listMapKeys));
  }

  /** Whether the value is what it was; the order of a map list does not matter. */
  get isUnchanged(): boolean {
    this.#equal ??= this.#compare(this.#value, this.#old);
    return this.#equal;
  }

  #compare(value: unknown, old: unknown): boolean {
    if (isObject(value) && isObject(old)) return this.#compareFields(value, old);
    if (this.#node.listType !== "map" || !Array.isArray(value) || !Array.isArray(old))
      return deepEqual(value, old);
    if (value.length !== old.length) return false;
    return value.every((_, index) => this.index(index)?.isUnchanged === true);
  }

  #compareFields(value: MutableObject, old: MutableObject): boolean {
    const fields = Object.keys(value).filter((field) => value[field] !== undefined);
    const before = Object.keys(old).filter((field) => old[field] !== undefined);
    return fields.length === before.length && fields.every((field) => this.key(field)?.isUnchanged === true);
  }
}
