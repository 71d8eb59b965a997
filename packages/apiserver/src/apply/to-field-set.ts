// The fields an object mentions: what its author owns by applying it.
import type { ListFacts, TypeFacts } from "@kubewright/api";
import { FieldSet } from "./field-set.js";
import { isEmptyMap, isMap, type JsonMap } from "./json-value.js";
import { itemElement } from "./list-item.js";
import { fieldElement, type PathElement } from "./path-element.js";
import { associative, factsAt, isAtomicMap, isNamedField, shapeOf } from "./type-shape.js";

/** The set of every leaf and list item of a value. Throws ListItemError for items without identity. */
export function toFieldSet(value: unknown, facts: TypeFacts): FieldSet {
  return collect(value, facts) ?? FieldSet.empty;
}

/** What lies below a place; undefined when the place itself is the leaf. */
function collect(value: unknown, facts: TypeFacts): FieldSet | undefined {
  switch (shapeOf(facts, value)) {
    case "map":
      if (isAtomicMap(facts)) return undefined;
      return isMap(value) ? collectMap(value, facts) : FieldSet.empty;
    case "list": {
      const list = associative(facts);
      if (!list) return undefined;
      return Array.isArray(value) ? collectList(value, list) : FieldSet.empty;
    }
    case "scalar":
      return undefined;
  }
}

function collectMap(map: JsonMap, facts: TypeFacts): FieldSet {
  const members = new Set<PathElement>();
  const children = new Map<PathElement, FieldSet>();
  for (const key of Object.keys(map)) {
    const value = map[key];
    if (value === undefined) continue;
    const element = fieldElement(key);
    const below = collect(value, factsAt(facts, key));
    if (!below || isNothing(value) || !isNamedField(facts, key)) members.add(element);
    if (below && !below.isEmpty) children.set(element, below);
  }
  return new FieldSet(members, children);
}

const isNothing = (value: unknown) => value === null || (isMap(value) && isEmptyMap(value));

function collectList(list: readonly unknown[], facts: ListFacts): FieldSet {
  const members = new Set<PathElement>();
  const children = new Map<PathElement, FieldSet>();
  const repeated = new Set<PathElement>();
  for (const item of list) {
    const element = itemElement(facts, item);
    if (members.has(element)) {
      // Items that share an identity cannot be owned in part.
      children.delete(element);
      repeated.add(element);
    }
    members.add(element);
    if (repeated.has(element)) continue;
    const below = collect(item, facts.item);
    if (below && !below.isEmpty) children.set(element, below);
  }
  return new FieldSet(members, children);
}
