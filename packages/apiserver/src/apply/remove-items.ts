// Takes fields and list items out of an object, or takes only them.
import type { ListFacts, TypeFacts } from "@kubewright/api";
import type { FieldSet } from "./field-set.js";
import { isMap, type JsonMap, setOwn } from "./json-value.js";
import { itemElement } from "./list-item.js";
import { fieldElement } from "./path-element.js";
import { associative, factsAt, isAtomicMap } from "./type-shape.js";

/** The value without the members of the set and all below them. A map or list left with nothing becomes null. */
export function removeItems(value: unknown, items: FieldSet, facts: TypeFacts): unknown {
  if (items.isEmpty) return value;
  if (isMap(value)) return isAtomicMap(facts) ? null : removeFields(value, items, facts);
  if (!Array.isArray(value)) return value;
  const list = associative(facts);
  return list ? removeFromList(value, items, list) : null;
}

function removeFields(map: JsonMap, items: FieldSet, facts: TypeFacts): JsonMap | null {
  const kept: Record<string, unknown> = {};
  let changed = false;
  let size = 0;
  for (const key of Object.keys(map)) {
    const value = map[key];
    if (value === undefined) continue;
    const element = fieldElement(key);
    if (items.members.has(element)) {
      changed = true;
      continue;
    }
    const below = items.children.get(element);
    const left = below ? removeItems(value, below, factsAt(facts, key)) : value;
    if (left !== value) changed = true;
    setOwn(kept, key, left);
    size++;
  }
  if (size === 0) return null;
  return changed ? kept : map;
}

function removeFromList(
  list: readonly unknown[],
  items: FieldSet,
  facts: ListFacts,
): readonly unknown[] | null {
  const kept: unknown[] = [];
  let changed = false;
  for (const item of list) {
    const element = itemElement(facts, item);
    if (items.members.has(element)) {
      changed = true;
      continue;
    }
    const below = items.children.get(element);
    const left = below ? removeItems(item, below, facts.item) : item;
    if (left !== item) changed = true;
    kept.push(left);
  }
  if (kept.length === 0) return null;
  return changed ? kept : list;
}

/** The value with nothing but the leaves of the set, and the keys of the list items they lie in; undefined if none. */
export function extractItems(value: unknown, items: FieldSet, facts: TypeFacts): unknown {
  if (isMap(value)) return isAtomicMap(facts) ? value : extractFields(value, items, facts);
  const list = associative(facts);
  return Array.isArray(value) && list ? extractFromList(value, items, list) : value;
}

function extractFields(map: JsonMap, items: FieldSet, facts: TypeFacts): JsonMap | undefined {
  const taken: Record<string, unknown> = {};
  for (const key of Object.keys(map)) {
    const element = fieldElement(key);
    const value = extractBelow(map[key], items, element, factsAt(facts, key));
    if (value !== undefined) setOwn(taken, key, value);
  }
  return Object.keys(taken).length > 0 ? taken : undefined;
}

function extractFromList(
  list: readonly unknown[],
  items: FieldSet,
  facts: ListFacts,
): readonly unknown[] | undefined {
  const taken: unknown[] = [];
  for (const item of list) {
    const value = extractBelow(item, items, itemElement(facts, item), facts.item);
    if (value !== undefined) taken.push(withKeys(value, item, facts));
  }
  return taken.length > 0 ? taken : undefined;
}

function extractBelow(value: unknown, items: FieldSet, element: string, facts: TypeFacts): unknown {
  const below = items.children.get(element);
  if (below) return extractItems(value, below, facts);
  return items.members.has(element) ? value : undefined;
}

/** An item without its keys could not be told from others. */
function withKeys(taken: unknown, item: unknown, { keys }: ListFacts): unknown {
  if (!isMap(taken) || !isMap(item)) return taken;
  const keyed: Record<string, unknown> = {};
  for (const key of keys) if (Object.hasOwn(item, key)) setOwn(keyed, key, item[key]);
  return { ...keyed, ...taken };
}
