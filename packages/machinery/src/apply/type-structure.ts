// The type structure that merging uses for a field. Types come from TypeInfo; where a schema is open, the value decides:
// objects are merged key by key, lists and scalars are atomic.
import { type AnyInfo, isObject, type ListInfo, type StructInfo, type TypeInfo } from "@kubewright/api";

/** The type info of objects nothing is known of: every map granular, every list atomic. */
export const deducedTypeInfo: AnyInfo = Object.freeze({ kind: "any" });

/** How merging treats a value. */
export type Structure = "map" | "list" | "scalar";

/** How merging treats a value of that type. Null is treated as what it stands for. */
export function structureOf(typeInfo: TypeInfo, value: unknown): Structure {
  switch (typeInfo.kind) {
    case "struct":
    case "map":
      return "map";
    case "list":
      return "list";
    case "scalar":
      return "scalar";
    case "any":
      if (typeInfo.isAtomic) return "scalar";
      if (Array.isArray(value)) return "list";
      return value === null || value === undefined || isObject(value) ? "map" : "scalar";
  }
}

/** True when the map is owned and replaced as a whole. */
export function isAtomicMap(typeInfo: TypeInfo): boolean {
  return (typeInfo.kind === "struct" || typeInfo.kind === "map") && typeInfo.mapType === "atomic";
}

/** The type info of a list of type map or set; undefined for atomic lists. */
export function associative(typeInfo: TypeInfo): ListInfo | undefined {
  return typeInfo.kind === "list" && typeInfo.listType !== "atomic" ? typeInfo : undefined;
}

/** True for fields the type names; keys of maps are not. */
export function isNamedField(typeInfo: TypeInfo, key: string): boolean {
  return typeInfo.kind === "struct" && typeInfo.fields.has(key);
}

/** The type info of the value at a key. */
export function typeInfoAt(typeInfo: TypeInfo, key: string): TypeInfo {
  if (typeInfo.kind === "struct")
    return typeInfo.fields.get(key)?.type ?? typeInfo.unknownFields ?? deducedTypeInfo;
  return typeInfo.kind === "map" ? typeInfo.value : deducedTypeInfo;
}

/** True when the type takes keys it does not name. */
export function takesUnknownFields(typeInfo: StructInfo): boolean {
  return typeInfo.preserveUnknownFields || typeInfo.unknownFields !== undefined || typeInfo.fields.size === 0;
}

/** The type info of list items. */
export function itemTypeInfo(typeInfo: TypeInfo): TypeInfo {
  return typeInfo.kind === "list" ? typeInfo.item : deducedTypeInfo;
}
