// The types of CEL as the checker, the evaluator and the cost estimator see them. A type knows how large its values can
// get (`maxElements`), because the estimate of a rule's cost starts from the schema's limits.
import type { Shape } from "./values/view.js";

/** The kind of value that a type describes. */
export type CelTypeKind =
  | "bool"
  | "int"
  | "uint"
  | "double"
  | "string"
  | "bytes"
  | "null"
  | "timestamp"
  | "duration"
  | "dyn"
  | "error"
  | "list"
  | "map"
  | "object"
  | "opaque"
  | "optional"
  | "type"
  | "param";

/** A field of an object type. */
export interface CelField {
  /** The name rules use (escaped). */
  readonly name: string;
  /** The name in the object. */
  readonly property: string;
  readonly type: CelType;
  readonly required: boolean;
}

/** A CEL type. Two types are the same when kind, name and parameters are; sizes do not count. */
export interface CelType {
  readonly kind: CelTypeKind;
  /** `int`, `list`, `kubernetes.Quantity`, the name of an object type or of a type parameter. */
  readonly name: string;
  /** `[element]` of a list, `[key, value]` of a map, `[value]` of an optional, parameters of an opaque type. */
  readonly params: readonly CelType[];
  /** Fields of an object type, by escaped name; they may refer back to the type, hence a function. */
  readonly fields?: (() => ReadonlyMap<string, CelField>) | undefined;
  /** The most elements, characters or entries a value can have, where the schema says so. */
  readonly maxElements?: number | undefined;
  /** Of a map: entries that are selected by name are as large as all others. In schemas nothing is known of those. */
  readonly sizesEveryEntry?: boolean | undefined;
  /** The reader of values from JSON, where the schema says more than the type. */
  readonly shape?: Shape | undefined;
  /** The smallest JSON such a value can be written as; bounds how many fit into one request. */
  readonly minSerializedSize?: number | undefined;
}

const none: readonly CelType[] = [];

function simple(kind: CelTypeKind, name: string, minSerializedSize: number): CelType {
  return { kind, name, params: none, minSerializedSize };
}

/** `bool`. */
export const boolType = simple("bool", "bool", 4);
/** `int`: 64 bits, signed. */
export const intType = simple("int", "int", 1);
/** `uint`: 64 bits, unsigned. */
export const uintType = simple("uint", "uint", 1);
/** `double`. */
export const doubleType = simple("double", "double", 1);
/** `string`. */
export const stringType = simple("string", "string", 2);
/** `bytes`. */
export const bytesType = simple("bytes", "bytes", 2);
/** The type of `null`. */
export const nullType = simple("null", "null_type", 4);
/** `google.protobuf.Timestamp`. */
export const timestampType = simple("timestamp", "google.protobuf.Timestamp", 21);
/** `google.protobuf.Duration`. */
export const durationType = simple("duration", "google.protobuf.Duration", 3);
/** Any type, known only while evaluating. */
export const dynType = simple("dyn", "dyn", 1);
/** The type of what failed to check; nothing more is said about it. */
export const errorType = simple("error", "*error*", 0);

/** `list(element)`. */
export function listType(element: CelType, maxElements?: number): CelType {
  return { kind: "list", name: "list", params: [element], maxElements, minSerializedSize: 2 };
}

/** `map(key, value)`. */
export function mapType(key: CelType, value: CelType, maxElements?: number): CelType {
  return { kind: "map", name: "map", params: [key, value], maxElements, minSerializedSize: 2 };
}

/** `optional_type(value)`. */
export function optionalType(value: CelType): CelType {
  return { kind: "optional", name: "optional_type", params: [value] };
}

/** The type of a type: `type(int)`. */
export function typeType(of: CelType): CelType {
  return { kind: "type", name: "type", params: [of] };
}

/** A type parameter of a function signature. */
export function paramType(name: string): CelType {
  return { kind: "param", name, params: none };
}

/** A type only its own functions understand: `kubernetes.Quantity`. */
export function opaqueType(name: string, ...params: readonly CelType[]): CelType {
  return { kind: "opaque", name, params };
}

/** An object with declared fields. */
export function objectType(
  name: string,
  fields: () => ReadonlyMap<string, CelField>,
  minSerializedSize = 2,
): CelType {
  return { kind: "object", name, params: none, fields, minSerializedSize };
}

/** Names that differ between messages and values of the type `type`. */
const messageNames: Partial<Record<CelTypeKind, string>> = {
  null: "null",
  timestamp: "timestamp",
  duration: "duration",
  error: "!error!",
};

/** The type as CEL's messages print it: `map(string, list(int))`. */
export function formatType(type: CelType): string {
  const name = messageNames[type.kind] ?? type.name;
  return type.params.length === 0 ? name : `${name}(${type.params.map(formatType).join(", ")})`;
}
