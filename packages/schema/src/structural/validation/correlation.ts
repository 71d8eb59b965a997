// Ratcheting: on update, what is wrong with a value that did not change is let through. For that the old value of every
// place is looked up on the way down: by key in objects, by map keys in map lists; items of other lists have none.
import { deepEqual } from "@kubewright/api";
import { isObject, ownValue } from "../json-value.js";
import { identityOf, keyOf } from "../list-invariants.js";
import { childNode, type SchemaNode } from "../schema-node.js";

/** A value together with the one it replaces. */
export class Correlation {
  readonly #node: SchemaNode;
  readonly #value: unknown;
  readonly #old: unknown;
  #equal: boolean | undefined;
  #oldItems: ReadonlyMap<unknown, unknown> | undefined;

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
    const item: unknown = this.#value[index];
    const old = this.#itemsByKey()?.get(identityOf(keyOf(item, this.#node.listMapKeys)));
    return old === undefined ? undefined : new Correlation(items, item, old);
  }

  #itemsByKey(): ReadonlyMap<unknown, unknown> | undefined {
    if (this.#oldItems === undefined && Array.isArray(this.#old)) {
      const keyed = this.#old.map(
        (item: unknown) => [identityOf(keyOf(item, this.#node.listMapKeys)), item] as const,
      );
      this.#oldItems = new Map(keyed.reverse());
    }
    return this.#oldItems;
  }

  /** Whether the value is what it was; the order of a map list does not matter. */
  get unchanged(): boolean {
    this.#equal ??= this.#compare();
    return this.#equal;
  }

  #compare(): boolean {
    const value = this.#value;
    const old = this.#old;
    if (isObject(value) && isObject(old)) {
      const fields = Object.keys(value).filter((field) => value[field] !== undefined);
      const before = Object.keys(old).filter((field) => old[field] !== undefined);
      return fields.length === before.length && fields.every((field) => this.key(field)?.unchanged === true);
    }
    if (this.#node.listType !== "map" || !Array.isArray(value) || !Array.isArray(old))
      return deepEqual(value, old);
    return value.length === old.length && value.every((_, index) => this.index(index)?.unchanged === true);
  }
}
