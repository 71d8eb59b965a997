// The fields an object mentions: what its author owns by applying it.
import { isObject, type ListFacts, type TypeFacts } from "@kubewright/api";
import { isEmptyMap, type JsonMap } from "../json-map.js";
import { FieldSet } from "./field-set.js";
import { itemElement } from "./list-item.js";
import { fieldElement, type PathElement } from "./path-element.js";
import { associative, factsAt, isAtomicMap, isNamedField, structureOf } from "./type-structure.js";

/** The set of every leaf and list item of a value. Throws ListItemError for items without identity. */
export function toFieldSet(value: unknown, facts: TypeFacts): FieldSet {
  return collect(value, facts) ?? FieldSet.empty;
}

/** The same, with every named field that something lies below, as `withNamedFields` would add them. */
export function toFieldSetWithNamed(value: unknown, facts: TypeFacts): FieldSet {
  return collect(value, facts, true) ?? FieldSet.empty;
}

/** What lies below a place; undefined when the place itself is the leaf. */
function collect(value: unknown, facts: TypeFacts, named = false): FieldSet | undefined {
  switch (structureOf(facts, value)) {
    case "map":
      if (isAtomicMap(facts)) return undefined;
      return isObject(value) ? collectMap(value, facts, named) : FieldSet.empty;
    case "list": {
      const list = associative(facts);
      if (!list) return undefined;
      return Array.isArray(value) ? collectList(value, list, named) : FieldSet.empty;
    }
    case "scalar":
      return undefined;
  }
}

function collectMap(map: JsonMap, facts: TypeFacts, named: boolean): FieldSet {
  const fields = new Fields();
  for (const key of Object.keys(map)) {
    const value = map[key];
    if (value === undefined) continue;
    const below = collect(value, factsAt(facts, key), named);
    const something = below !== undefined && !below.isEmpty;
    const itself = !below || (named && something) || isNothing(value) || !isNamedField(facts, key);
    if (itself || something) fields.add(fieldElement(key), itself, below);
  }
  return fields.set();
}

const isNothing = (value: unknown) => value === null || (isObject(value) && isEmptyMap(value));

function collectList(list: readonly unknown[], facts: ListFacts, named: boolean): FieldSet {
  const fields = new Fields();
  for (const item of list) {
    const element = itemElement(facts, item);
    // Items that share an identity cannot be owned in part.
    if (fields.members?.has(element)) fields.repeated(element);
    else fields.add(element, true, collect(item, facts.item, named));
  }
  return fields.set();
}

/** A set being put together; most have no children, and many no members. */
class Fields {
  members: Set<PathElement> | undefined;
  #children: Map<PathElement, FieldSet> | undefined;

  add(element: PathElement, itself: boolean, below: FieldSet | undefined): void {
    if (itself) {
      this.members ??= new Set();
      this.members.add(element);
    }
    if (below && !below.isEmpty) {
      this.#children ??= new Map();
      this.#children.set(element, below);
    }
  }

  repeated(element: PathElement): void {
    this.#children?.delete(element);
  }

  set(): FieldSet {
    const { members, children } = FieldSet.empty;
    return new FieldSet(this.members ?? members, this.#children ?? children);
  }
}
