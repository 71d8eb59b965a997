// The fields an object mentions: what its author owns by applying it.
import { isObject, type ListInfo, type TypeInfo } from "@kubewright/api";
import { isEmptyMap, type JsonMap } from "../json-map.js";
import { FieldSet } from "./field-set.js";
import { itemElement } from "./list-item.js";
import { fieldElement, type PathElement } from "./path-element.js";
import { associative, isAtomicMap, isNamedField, structureOf, typeInfoAt } from "./type-structure.js";

/** The set of every leaf and list item of a value. Throws ListItemError for items without identity. */
export function toFieldSet(value: unknown, typeInfo: TypeInfo): FieldSet {
  return collect(value, typeInfo) ?? FieldSet.empty;
}

/** The same, with every named field that something lies below, as `withNamedFields` would add them. */
export function toFieldSetWithNamed(value: unknown, typeInfo: TypeInfo): FieldSet {
  return collect(value, typeInfo, true) ?? FieldSet.empty;
}

/** The set below a field; undefined when the field itself is a leaf. */
function collect(value: unknown, typeInfo: TypeInfo, named = false): FieldSet | undefined {
  switch (structureOf(typeInfo, value)) {
    case "map":
      if (isAtomicMap(typeInfo)) return undefined;
      return isObject(value) ? collectMap(value, typeInfo, named) : FieldSet.empty;
    case "list": {
      const list = associative(typeInfo);
      if (!list) return undefined;
      return Array.isArray(value) ? collectList(value, list, named) : FieldSet.empty;
    }
    case "scalar":
      return undefined;
  }
}

function collectMap(map: JsonMap, typeInfo: TypeInfo, named: boolean): FieldSet {
  const fields = new Fields();
  for (const key of Object.keys(map)) {
    const value = map[key];
    if (value === undefined) continue;
    const below = collect(value, typeInfoAt(typeInfo, key), named);
    const something = below !== undefined && !below.isEmpty;
    const itself = !below || (named && something) || isNothing(value) || !isNamedField(typeInfo, key);
    if (itself || something) fields.add(fieldElement(key), itself, below);
  }
  return fields.set();
}

const isNothing = (value: unknown) => value === null || (isObject(value) && isEmptyMap(value));

function collectList(list: readonly unknown[], typeInfo: ListInfo, named: boolean): FieldSet {
  const fields = new Fields();
  for (const item of list) {
    const element = itemElement(typeInfo, item);
    // Items that share an identity cannot be owned in part.
    if (fields.members?.has(element)) fields.repeated(element);
    else fields.add(element, true, collect(item, typeInfo.item, named));
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
