// Plain JSON as CEL sees it where no schema says more: a number is an int when it is a whole one, a double otherwise.
import { Double } from "./int.js";

/** A JSON value as a CEL value. Only numbers ever change; objects and lists are used as they are. */
export function adapt(value: unknown): unknown {
  if (typeof value === "number" && !Number.isSafeInteger(value)) return new Double(value);
  return value === undefined ? null : value;
}

/** A JSON object. */
export type JsonMap = Readonly<Record<string, unknown>>;

/** Whether a value that came as JSON is an object. */
export function isJsonMap(value: unknown): value is JsonMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
