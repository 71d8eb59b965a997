// How merging sees a place in an object. Types come from TypeFacts; where anything goes, the value decides: objects are
// merged key by key, lists and scalars are taken whole.
import { type AnyFacts, isObject, type ListFacts, type StructFacts, type TypeFacts } from "@kubewright/api";

/** The facts of objects nothing is known of: every map granular, every list atomic. */
export const deducedFacts: AnyFacts = Object.freeze({ kind: "any" });

/** How merging treats a value. */
export type Structure = "map" | "list" | "scalar";

/** How merging treats a value of that type. Null is treated as what it stands for. */
export function structureOf(facts: TypeFacts, value: unknown): Structure {
  switch (facts.kind) {
    case "struct":
    case "map":
      return "map";
    case "list":
      return "list";
    case "scalar":
      return "scalar";
    case "any":
      if (Array.isArray(value)) return "list";
      return value === null || value === undefined || isObject(value) ? "map" : "scalar";
  }
}

/** True when the map is owned and replaced as a whole. */
export function isAtomicMap(facts: TypeFacts): boolean {
  return (facts.kind === "struct" || facts.kind === "map") && facts.mapType === "atomic";
}

/** The facts of a list of type map or set; undefined for atomic lists. */
export function associative(facts: TypeFacts): ListFacts | undefined {
  return facts.kind === "list" && facts.listType !== "atomic" ? facts : undefined;
}

/** True for fields the type names; keys of maps are not. */
export function isNamedField(facts: TypeFacts, key: string): boolean {
  return facts.kind === "struct" && facts.fields.has(key);
}

/** The facts of the value at a key. */
export function factsAt(facts: TypeFacts, key: string): TypeFacts {
  if (facts.kind === "struct") return facts.fields.get(key)?.type ?? facts.unknownFields ?? deducedFacts;
  return facts.kind === "map" ? facts.value : deducedFacts;
}

/** True when the type takes keys it does not name. */
export function takesUnknownFields(facts: StructFacts): boolean {
  return facts.preserveUnknownFields || facts.unknownFields !== undefined || facts.fields.size === 0;
}

/** The facts of list items. */
export function itemFacts(facts: TypeFacts): TypeFacts {
  return facts.kind === "list" ? facts.item : deducedFacts;
}
