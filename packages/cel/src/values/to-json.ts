// The way back: what an expression made, as JSON.
import { setOwn } from "@kubewright/api";
import { Double, Uint } from "./int.js";
import { CelMap } from "./map.js";
import { Optional } from "./optional.js";
import { Duration, formatDuration, formatTimestamp, Timestamp } from "./temporal.js";
import { ListView, MapView } from "./view.js";

/** A value as JSON: times and durations as text, bytes in base64, nothing for an empty optional. Integers that a JavaScript number would round stay bigints. */
export function celToJson(value: unknown): unknown {
  if (typeof value === "bigint") return integerToJson(value);
  if (typeof value !== "object" || value === null) return value ?? null;
  if (Array.isArray(value)) return value.map(celToJson);
  if (value instanceof ListView || value instanceof MapView) return value.json;
  if (value instanceof CelMap) return mapToJson(value);
  return scalarToJson(value);
}

function scalarToJson(value: object): unknown {
  if (value instanceof Double) return value.value;
  if (value instanceof Uint) return integerToJson(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof Optional) return value.hasValue ? celToJson(value.value) : null;
  return value;
}

/** A number where that prints the same, and beyond 64 bits, where Go decodes a float; else a bigint. */
function integerToJson(value: bigint): number | bigint {
  const rounded = Number(value);
  return String(rounded) === String(value) || BigInt.asIntN(64, value) !== value ? rounded : value;
}

function mapToJson(map: CelMap): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const key of map.keys()) {
    setOwn(object, String(key), celToJson(map.get(key)));
  }
  return object;
}
