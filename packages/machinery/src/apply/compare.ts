// Compares two versions of an object, field by field: fields added, modified and removed.
import { deepEqual, isObject, type ListInfo, ownValue, type TypeInfo } from "@kubewright/api";
import type { AnyObject } from "./apply-types.js";
import { FieldSet, FieldSetBuilder } from "./field-set.js";
import { type ItemIdentity, itemElement, itemIdentity } from "./list-item.js";
import { fieldElement, type PathElement } from "./path-element.js";
import { associative, isAtomicMap, type Structure, structureOf, typeInfoAt } from "./type-structure.js";

/** No field is in more than one of the sets; all are empty when the objects are equal. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Compares two values of a type. Throws ListItemError for items without identity. */
export function compare(before: unknown, after: unknown, typeInfo: TypeInfo): Comparison {
  if (before === after) return { added: FieldSet.empty, modified: FieldSet.empty, removed: FieldSet.empty };
  const walk = new CompareWalk();
  walk.visit(before, after, typeInfo);
  return { added: walk.added.build(), modified: walk.modified.build(), removed: walk.removed.build() };
}

/** The comparison without these fields and all below them. */
export function excluding(comparison: Comparison, fields: FieldSet): Comparison {
  if (fields.isEmpty) return comparison;
  return {
    added: comparison.added.recursiveDifference(fields),
    modified: comparison.modified.recursiveDifference(fields),
    removed: comparison.removed.recursiveDifference(fields),
  };
}

class CompareWalk {
  readonly added = new FieldSetBuilder();
  readonly modified = new FieldSetBuilder();
  readonly removed = new FieldSetBuilder();
  readonly #path: PathElement[] = [];
  visit(before: unknown, after: unknown, typeInfo: TypeInfo): void {
    if (before === after) return;
    const was = structureOf(typeInfo, before);
    const is = structureOf(typeInfo, after);
    if (before !== undefined && after !== undefined && was !== is)
      this.#visitAs(was, before, after, typeInfo);
    const wasLeaf = this.#visitAs(after === undefined ? was : is, before, after, typeInfo);
    if (wasLeaf) return;
    if (before === undefined) this.added.insert(this.#path);
    else if (after === undefined) this.removed.insert(this.#path);
  }

  /** True when the place was handled as a leaf. */
  #visitAs(structure: Structure, before: unknown, after: unknown, typeInfo: TypeInfo): boolean {
    if (structure === "map") return this.#visitMaps(before, after, typeInfo);
    if (structure === "list") return this.#visitLists(before, after, typeInfo);
    return this.#leaf(before, after);
  }

  #leaf(before: unknown, after: unknown): true {
    if (before === undefined) this.added.insert(this.#path);
    else if (after === undefined) this.removed.insert(this.#path);
    else if (!deepEqual(before, after)) this.modified.insert(this.#path);
    return true;
  }

  #visitMaps(before: unknown, after: unknown, typeInfo: TypeInfo): boolean {
    const left = isObject(before) ? before : undefined;
    const right = isObject(after) ? after : undefined;
    const keys = left ? Object.keys(left) : [];
    const others = right ? Object.keys(right) : [];
    const nothing =
      keys.every((key) => left?.[key] === undefined) && others.every((key) => right?.[key] === undefined);
    if (nothing || isAtomicMap(typeInfo)) return this.#leaf(before, after);
    for (const key of keys) this.#visitField(key, left, right, typeInfo);
    for (const key of others)
      if (ownValue(left, key) === undefined) this.#visitField(key, undefined, right, typeInfo);
    return false;
  }

  #visitField(
    key: string,
    left: AnyObject | undefined,
    right: AnyObject | undefined,
    typeInfo: TypeInfo,
  ): void {
    const before = left?.[key];
    const after = ownValue(right, key);
    if (before !== after) this.#descend(fieldElement(key), before, after, typeInfoAt(typeInfo, key));
  }

  #descend(element: PathElement, before: unknown, after: unknown, typeInfo: TypeInfo): void {
    this.#path.push(element);
    this.visit(before, after, typeInfo);
    this.#path.pop();
  }

  #visitLists(before: unknown, after: unknown, typeInfo: TypeInfo): boolean {
    const left: readonly unknown[] = Array.isArray(before) ? before : [];
    const right: readonly unknown[] = Array.isArray(after) ? after : [];
    const list = associative(typeInfo);
    if (!list || (left.length === 0 && right.length === 0)) return this.#leaf(before, after);
    // Most lists did not change, and telling so takes no keys.
    if (before !== undefined && after !== undefined && deepEqual(before, after)) return false;
    const was = groupItems(left, list);
    const is = groupItems(right, list);
    for (const [id, items] of was) this.#visitItems(items, is.get(id) ?? [], list);
    for (const [id, items] of is) if (!was.has(id)) this.#visitItems([], items, list);
    return false;
  }

  /** Items that share an identity are compared as one, and owned as one. */
  #visitItems(was: readonly unknown[], is: readonly unknown[], list: ListInfo): void {
    if (deepEqual(was, is)) return;
    const element = itemElement(list, was[0] ?? is[0]);
    if (was.length < 2 && is.length < 2) {
      this.#descend(element, was[0], is[0], list.item);
    } else if (was.length >= 2 && is.length >= 2) {
      this.modified.insert([...this.#path, element]);
    } else if (was.length >= 2) {
      if (is.length === 1) this.#descend(element, undefined, is[0], list.item);
      this.removed.insert([...this.#path, element]);
    } else {
      if (was.length === 1) this.#descend(element, was[0], undefined, list.item);
      this.added.insert([...this.#path, element]);
    }
  }
}

function groupItems(list: readonly unknown[], typeInfo: ListInfo): Map<ItemIdentity, unknown[]> {
  const groups = new Map<ItemIdentity, unknown[]>();
  for (const item of list) {
    const id = itemIdentity(typeInfo, item);
    const group = groups.get(id);
    if (group) group.push(item);
    else groups.set(id, [item]);
  }
  return groups;
}
