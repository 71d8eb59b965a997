// Takes fields and list items out of an object, or takes only them.
import { isObject, type ListInfo, setOwn, type TypeInfo } from "@kubewright/api";
import type { JsonMap } from "../json-map.js";
import type { FieldSet } from "./field-set.js";
import { itemElement } from "./list-item.js";
import { fieldElement, type PathElement } from "./path-element.js";
import { associative, isAtomicMap, typeInfoAt } from "./type-structure.js";

/** The value without the members of the set and all below them. A map or list that is left with nothing is null. */
export function removeItems(value: unknown, items: FieldSet, typeInfo: TypeInfo): unknown {
  if (items.isEmpty) return value;
  if (isObject(value)) return isAtomicMap(typeInfo) ? null : (removeFields(value, items, typeInfo) ?? null);
  if (!Array.isArray(value)) return value;
  const list = associative(typeInfo);
  return list ? (removeFromList(value, items, list) ?? null) : null;
}

function removeFields(map: JsonMap, items: FieldSet, typeInfo: TypeInfo): JsonMap | undefined {
  const kept: Record<string, unknown> = {};
  let changed = false;
  let size = 0;
  for (const key of Object.keys(map)) {
    const value = map[key];
    if (value === undefined) continue;
    const left = removeBelow(value, items, fieldElement(key), typeInfoAt(typeInfo, key));
    if (left !== value) changed = true;
    if (left === undefined) continue;
    setOwn(kept, key, left);
    size++;
  }
  if (size === 0) return undefined;
  return changed ? kept : map;
}

function removeFromList(
  list: readonly unknown[],
  items: FieldSet,
  typeInfo: ListInfo,
): readonly unknown[] | undefined {
  const kept: unknown[] = [];
  let changed = false;
  for (const item of list) {
    const left = removeBelow(item, items, itemElement(typeInfo, item), typeInfo.item);
    if (left !== item) changed = true;
    if (left !== undefined) kept.push(left);
  }
  if (kept.length === 0) return undefined;
  return changed ? kept : list;
}

/** The rest of the value at an element; undefined when it is removed. */
function removeBelow(value: unknown, items: FieldSet, element: PathElement, typeInfo: TypeInfo): unknown {
  if (items.members.has(element)) return undefined;
  const below = items.children.get(element);
  return below ? removeItems(value, below, typeInfo) : value;
}

/** The value with nothing but the leaves of the set, and the keys of the list items they lie in; undefined if none. */
export function extractItems(value: unknown, items: FieldSet, typeInfo: TypeInfo): unknown {
  if (isObject(value)) return isAtomicMap(typeInfo) ? value : extractFields(value, items, typeInfo);
  const list = associative(typeInfo);
  return Array.isArray(value) && list ? extractFromList(value, items, list) : value;
}

function extractFields(map: JsonMap, items: FieldSet, typeInfo: TypeInfo): JsonMap | undefined {
  const taken: Record<string, unknown> = {};
  for (const key of Object.keys(map)) {
    const element = fieldElement(key);
    const value = extractBelow(map[key], items, element, typeInfoAt(typeInfo, key));
    if (value !== undefined) setOwn(taken, key, value);
  }
  return Object.keys(taken).length > 0 ? taken : undefined;
}

function extractFromList(
  list: readonly unknown[],
  items: FieldSet,
  typeInfo: ListInfo,
): readonly unknown[] | undefined {
  const taken: unknown[] = [];
  for (const item of list) {
    const value = extractBelow(item, items, itemElement(typeInfo, item), typeInfo.item);
    if (value !== undefined) taken.push(withKeys(value, item, typeInfo));
  }
  return taken.length > 0 ? taken : undefined;
}

function extractBelow(value: unknown, items: FieldSet, element: string, typeInfo: TypeInfo): unknown {
  const below = items.children.get(element);
  if (below) return extractItems(value, below, typeInfo);
  return items.members.has(element) ? value : undefined;
}

/** An item without its keys would have no identity. */
function withKeys(taken: unknown, item: unknown, { keys }: ListInfo): unknown {
  if (!isObject(taken) || !isObject(item)) return taken;
  const keyed: Record<string, unknown> = {};
  for (const key of keys) if (Object.hasOwn(item, key)) setOwn(keyed, key, item[key]);
  return { ...keyed, ...taken };
}
