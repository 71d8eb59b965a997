// Field sets as their type sees them: what a set means depends on which fields the type names and which it takes whole.
import type { TypeInfo } from "@kubewright/api";
import { FieldSet } from "./field-set.js";
import type { PathElement } from "./path-element.js";
import { associative, isAtomicMap, isNamedField, itemTypeInfo, typeInfoAt } from "./type-structure.js";

/**
 * The set with every named field that has owned fields below it: removing what a manager owned must also remove the
 * structs that held it.
 */
export function withNamedFields(set: FieldSet, typeInfo: TypeInfo): FieldSet {
  let members: Set<PathElement> | undefined;
  for (const element of set.children.keys()) {
    if (!element.startsWith("f:") || !isNamedField(typeInfo, element.slice(2))) continue;
    if (set.members.has(element)) continue;
    members ??= new Set(set.members);
    members.add(element);
  }
  return set.rebuilt(members ?? set.members, (child, element) =>
    withNamedFields(child, typeInfoBelow(typeInfo, element)),
  );
}

/** Reconciled sets by type and set. Both are immutable, and the sets of stored objects are parsed once, so most updates find theirs here. */
const reconciled = new WeakMap<TypeInfo, WeakMap<FieldSet, FieldSet>>();

/**
 * The set after its type may have changed since it was written: a manager of parts of what has become atomic manages all
 * of it.
 */
export function reconcileWithType(set: FieldSet, typeInfo: TypeInfo): FieldSet {
  let ofType = reconciled.get(typeInfo);
  if (!ofType) {
    ofType = new WeakMap();
    reconciled.set(typeInfo, ofType);
  }
  let result = ofType.get(set);
  if (!result) {
    result = reconcile(set, typeInfo);
    ofType.set(set, result);
  }
  return result;
}

function reconcile(set: FieldSet, typeInfo: TypeInfo): FieldSet {
  let members: Set<PathElement> | undefined;
  const result = set.rebuilt(set.members, (child, element) => {
    const below = typeInfoBelow(typeInfo, element);
    if (!isAtomic(below)) return reconcile(child, below);
    members ??= new Set(set.members);
    members.add(element);
    return FieldSet.empty;
  });
  return members ? new FieldSet(members, result.children) : result;
}

function isAtomic(typeInfo: TypeInfo): boolean {
  if (typeInfo.kind === "list") return associative(typeInfo) === undefined;
  if (typeInfo.kind === "map" && typeInfo.value.kind === "any") return false;
  return isAtomicMap(typeInfo);
}

function typeInfoBelow(typeInfo: TypeInfo, element: PathElement): TypeInfo {
  return element.startsWith("f:") ? typeInfoAt(typeInfo, element.slice(2)) : itemTypeInfo(typeInfo);
}
