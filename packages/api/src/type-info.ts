// The shape of an object as merging, pruning, presence and protobuf need it. Built-in kinds take theirs from
// generated tables (the `type-info` entry point); custom kinds from their structural schema. Types refer to each other in
// cycles (JSONSchemaProps): walk them along an object, not on their own.

/** The type info of one field: how it is merged, pruned and printed. */
export type TypeInfo = ScalarInfo | StructInfo | MapInfo | ListInfo | AnyInfo;

/** A value without parts. */
export interface ScalarInfo {
  readonly kind: "scalar";
  readonly type: "string" | "integer" | "number" | "boolean" | "int-or-string";
  /** `int32`, `int64`, `date-time`, `micro-time`, `quantity`, `byte`, … */
  readonly format?: string | undefined;
  readonly enum?: readonly unknown[] | undefined;
}

/** An object with known fields. */
export interface StructInfo {
  readonly kind: "struct";
  /** The schema's name, e.g. `io.k8s.api.core.v1.Container`; absent for custom kinds. */
  readonly name?: string | undefined;
  readonly fields: ReadonlyMap<string, FieldInfo>;
  readonly required: readonly string[];
  /** Atomic: owned and replaced as a whole. */
  readonly mapType: "granular" | "atomic";
  /** Fields that are not listed are kept (custom kinds only). Their shape is `unknownFields`. */
  readonly preserveUnknownFields: boolean;
  /** The value type of unlisted fields, when `additionalProperties` stands beside `properties`. */
  readonly unknownFields?: TypeInfo | undefined;
  /** Holds a whole object (`apiVersion`, `kind`, `metadata`). */
  readonly embeddedResource?: boolean | undefined;
}

/** An object with arbitrary keys. */
export interface MapInfo {
  readonly kind: "map";
  readonly value: TypeInfo;
  readonly mapType: "granular" | "atomic";
}

/** An array, and how two of them merge. */
export interface ListInfo {
  readonly kind: "list";
  readonly item: TypeInfo;
  /** For server-side apply. */
  readonly listType: "atomic" | "set" | "map";
  /** Keys of a `map` list. */
  readonly keys: readonly string[];
}

/** Anything goes and the content is opaque: raw extensions, `x-kubernetes-preserve-unknown-fields` without a type. */
export interface AnyInfo {
  readonly kind: "any";
  /** Set where it is owned and replaced as a whole, whatever it is. */
  readonly isAtomic?: boolean | undefined;
}

/** One field of a struct: its name, its type, and how it is merged. */
export interface FieldInfo {
  readonly name: string;
  readonly type: TypeInfo;
  /** A default the schema states; native defaulting is behaviour and lives elsewhere. */
  readonly default?: unknown;
  /** For strategic merge patch. */
  readonly patchStrategy?: readonly ("merge" | "replace" | "retainKeys")[] | undefined;
  readonly patchMergeKey?: string | undefined;
  /** The form in which the server prints a zero or unset value (native kinds only). */
  readonly presence?: Presence | undefined;
}

/**
 * - `value`: a zero scalar is dropped, a message is always printed. `value!`: always printed.
 * - `pointer`: printed if and only if set. `pointer!`: `null` when unset.
 * - `collection`: dropped when empty. `collection!`: `null` when unset.
 */
export type Presence = "value" | "value!" | "pointer" | "pointer!" | "collection" | "collection!";

/** One field of a protobuf message. `inline` messages have no JSON name: their fields stand in the parent's JSON. */
export interface ProtobufField {
  readonly number: number;
  /** A scalar name (`string`, `int32`, `bool`, `bytes`, …), or the full name of a message. */
  readonly type: string;
  readonly repeated: boolean;
  /** Set for `map<K,V>` fields; `type` is then the value type. */
  readonly mapKey?: string | undefined;
  readonly jsonName: string | null;
  readonly presence: Presence | "inline";
}
