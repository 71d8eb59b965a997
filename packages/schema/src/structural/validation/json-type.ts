// The type of a JSON value as Go sees it after decoding: whole numbers are integers, whatever the schema says.

/** The name of a type, and the format Go's own type would have. */
export interface JsonType {
  readonly type: "null" | "string" | "integer" | "number" | "boolean" | "array" | "object";
  readonly format: "" | "int64" | "float64";
}

const types = {
  null: { type: "null", format: "" },
  string: { type: "string", format: "" },
  integer: { type: "integer", format: "int64" },
  number: { type: "number", format: "float64" },
  boolean: { type: "boolean", format: "" },
  array: { type: "array", format: "" },
  object: { type: "object", format: "" },
} as const satisfies Record<string, JsonType>;

/** True for a whole number that fits into 64 bits. Those that a JavaScript number would round are bigints. */
export function isInt64(value: unknown): value is number | bigint {
  if (typeof value === "bigint") return BigInt.asIntN(64, value) === value;
  return typeof value === "number" && Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
}

/** The type of a value. What JSON cannot say (NaN, functions) counts as null, which is what it would be written as. */
export function jsonTypeOf(value: unknown): JsonType {
  if (Array.isArray(value)) return types.array;
  switch (typeof value) {
    case "string":
      return types.string;
    case "boolean":
      return types.boolean;
    case "bigint":
      return isInt64(value) ? types.integer : types.number;
    case "number":
      if (!Number.isFinite(value)) return types.null;
      return isInt64(value) ? types.integer : types.number;
    case "object":
      return value === null ? types.null : types.object;
    default:
      return types.null;
  }
}
