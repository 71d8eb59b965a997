// The way back: what an expression made, as JSON.
import { CelEvaluationError } from "../errors.js";
import { Double, Uint } from "./int.js";
import { CelMap } from "./map.js";
import { Optional } from "./optional.js";
import { Duration, formatDuration, formatTimestamp, Timestamp } from "./temporal.js";
import { ListView, MapView } from "./view.js";

/** A value as JSON: times and durations as text, bytes in base64, nothing for an empty optional. Throws a CelEvaluationError. */
export function celToJson(value: unknown): unknown {
  if (typeof value === "bigint") throw new CelEvaluationError(`integer ${value} is too large for JSON`);
  if (typeof value !== "object" || value === null) return value ?? null;
  if (Array.isArray(value)) return value.map(celToJson);
  if (value instanceof ListView || value instanceof MapView) return value.json;
  if (value instanceof CelMap) return mapToJson(value);
  return scalarToJson(value);
}

function scalarToJson(value: object): unknown {
  if (value instanceof Double) return value.value;
  if (value instanceof Uint) return celToJson(value.value > 2n ** 53n ? value.value : Number(value.value));
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof Optional) return value.hasValue ? celToJson(value.value) : null;
  return value;
}

function mapToJson(map: CelMap): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const key of map.keys()) {
    const value = celToJson(map.get(key));
    Object.defineProperty(object, String(key), {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return object;
}
