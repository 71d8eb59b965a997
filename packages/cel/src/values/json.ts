// Plain JSON as CEL sees it where no schema says more: a number is an int when it is a whole one of 64 bits, else a double.
import { Double, type Int } from "./int.js";

/** A JSON value as a CEL value. Only numbers ever change; objects and lists are used as they are. */
export function adapt(value: unknown): unknown {
  if (typeof value === "number" && !Number.isSafeInteger(value)) return wideInt(value) ?? new Double(value);
  return value === undefined ? null : value;
}

/** A whole number beyond 2^53 that JavaScript happens to hold exactly, if it fits into 64 bits. */
export function wideInt(value: number): Int | undefined {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? BigInt(value) : undefined;
}

/** A JSON object. */
export type JsonMap = Readonly<Record<string, unknown>>;
