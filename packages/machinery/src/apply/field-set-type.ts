// Field sets as their type sees them: what a set means depends on which fields the type names and which it takes whole.
import type { TypeFacts } from "@kubewright/api";
import { FieldSet } from "./field-set.js";
import type { PathElement } from "./path-element.js";
import { associative, factsAt, isAtomicMap, isNamedField, itemFacts } from "./type-structure.js";

/**
 * The set with every named field that has owned fields below it: removing what a manager owned must also remove the
 * structs that held it.
 */
export function withNamedFields(set: FieldSet, facts: TypeFacts): FieldSet {
  let members: Set<PathElement> | undefined;
  for (const element of set.children.keys()) {
    if (!element.startsWith("f:") || !isNamedField(facts, element.slice(2))) continue;
    if (set.members.has(element)) continue;
    members ??= new Set(set.members);
    members.add(element);
  }
  return set.rebuilt(members ?? set.members, (child, element) =>
    withNamedFields(child, factsBelow(facts, element)),
  );
}

/** Sets as their types see them; those of stored objects are the same again and again. */
const reconciled = new WeakMap<TypeFacts, WeakMap<FieldSet, FieldSet>>();

/**
 * The set after its type may have changed since it was written: a manager of parts of what has become atomic manages all
 * of it.
 */
export function reconcileWithType(set: FieldSet, facts: TypeFacts): FieldSet {
  let ofType = reconciled.get(facts);
  if (!ofType) {
    ofType = new WeakMap();
    reconciled.set(facts, ofType);
  }
  let result = ofType.get(set);
  if (!result) {
    result = reconcile(set, facts);
    ofType.set(set, result);
  }
  return result;
}

function reconcile(set: FieldSet, facts: TypeFacts): FieldSet {
  let members: Set<PathElement> | undefined;
  const result = set.rebuilt(set.members, (child, element) => {
    const below = factsBelow(facts, element);
    if (!isAtomic(below)) return reconcile(child, below);
    members ??= new Set(set.members);
    members.add(element);
    return FieldSet.empty;
  });
  return members ? new FieldSet(members, result.children) : result;
}

function isAtomic(facts: TypeFacts): boolean {
  if (facts.kind === "list") return associative(facts) === undefined;
  if (facts.kind === "map" && facts.value.kind === "any") return false;
  return isAtomicMap(facts);
}

function factsBelow(facts: TypeFacts, element: PathElement): TypeFacts {
  return element.startsWith("f:") ? factsAt(facts, element.slice(2)) : itemFacts(facts);
}
