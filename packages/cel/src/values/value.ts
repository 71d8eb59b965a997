// The type name and the size of any value.
import { Double, Uint } from "./int.js";
import { isList, listSize } from "./list.js";
import { type AnyMap, CelMap, mapSize } from "./map.js";
import { OpaqueValue } from "./opaque.js";
import { Optional } from "./optional.js";
import { Duration, Timestamp } from "./temporal.js";
import { MapView } from "./view.js";

/** The kinds of values at run time; `opaque` covers types as values too. */
export type ValueKind =
  | "bool"
  | "int"
  | "uint"
  | "double"
  | "string"
  | "bytes"
  | "null"
  | "timestamp"
  | "duration"
  | "list"
  | "map"
  | "optional"
  | "opaque";

/** The kind of a value. */
export function kindOf(value: unknown): ValueKind {
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "number":
    case "bigint":
      return "int";
    case "string":
      return "string";
    default:
      return objectKind(value);
  }
}

function objectKind(value: unknown): ValueKind {
  if (value === null || value === undefined) return "null";
  if (isList(value)) return "list";
  if (value instanceof Double) return "double";
  if (value instanceof Uint) return "uint";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof Timestamp) return "timestamp";
  if (value instanceof Duration) return "duration";
  if (value instanceof Optional) return "optional";
  return value instanceof OpaqueValue ? "opaque" : "map";
}

const typeNames: Readonly<Record<Exclude<ValueKind, "opaque">, string>> = {
  bool: "bool",
  int: "int",
  uint: "uint",
  double: "double",
  string: "string",
  bytes: "bytes",
  null: "null_type",
  timestamp: "google.protobuf.Timestamp",
  duration: "google.protobuf.Duration",
  list: "list",
  map: "map",
  optional: "optional_type",
};

/** The name `type(value)` has. */
export function typeNameOf(value: unknown): string {
  if (value instanceof OpaqueValue) return value.typeName;
  const kind = kindOf(value);
  return kind === "opaque" ? "" : typeNames[kind];
}

/** The name of the type that cel-go has for a value, which some of its messages show: `types.String`. */
export function goTypeOf(value: unknown): string {
  const kind = kindOf(value);
  return kind === "null" ? "types.Null" : `types.${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
}

/** Whether a value is a map: a JSON object, a view, or one an expression made. */
export function isMap(value: unknown): value is AnyMap {
  return value instanceof CelMap || value instanceof MapView || kindOf(value) === "map";
}

/**
 * The size cost rules read: elements, entries, bytes, characters, else 1. Characters are counted in UTF-16 units, which is never
 * less than Kubernetes counts and needs no walk over the text.
 */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 1;
  if (isList(value)) return listSize(value);
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof OpaqueValue) return value.size;
  if (value instanceof Optional) return value.hasValue ? sizeOf(value.value) : 1;
  return isMap(value) ? mapSize(value) : 1;
}
