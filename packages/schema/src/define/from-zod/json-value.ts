// Defaults and examples are JavaScript values that must become JSON.
import type { JsonValue } from "@kubewright/api";

const maxDepth = 100;

/** The value as JSON, copied; undefined when it holds anything that JSON does not have. */
export function toJsonValue(value: unknown, depth = 0): JsonValue | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (depth >= maxDepth || typeof value !== "object") return undefined;
  if (Array.isArray(value)) return toJsonArray(value, depth);
  return isPlain(value) ? toJsonObject(value, depth) : undefined;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function toJsonArray(value: readonly unknown[], depth: number): JsonValue | undefined {
  const items: JsonValue[] = [];
  for (const item of value) {
    const json = toJsonValue(item, depth + 1);
    if (json === undefined) return undefined;
    items.push(json);
  }
  return items;
}

function toJsonObject(value: object, depth: number): JsonValue | undefined {
  const fields: [string, JsonValue][] = [];
  for (const [key, field] of Object.entries(value)) {
    if (field === undefined) continue;
    const json = toJsonValue(field, depth + 1);
    if (json === undefined) return undefined;
    fields.push([key, json]);
  }
  return Object.fromEntries(fields);
}
