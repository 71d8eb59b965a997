import type { JSONSchemaProps } from "@kubewright/api";

/** A structural schema. */
export type Schema = JSONSchemaProps;

/** Splits a schema into some of its keywords and all others; what is undefined is in neither. */
export function pickKeywords<const K extends keyof Schema>(
  schema: Schema,
  keywords: readonly K[],
): readonly [picked: Pick<Schema, K>, rest: Schema] {
  const names: ReadonlySet<string> = new Set(keywords);
  const entries = Object.entries(schema).filter(([, value]) => value !== undefined);
  const picked = entries.filter(([key]) => names.has(key));
  const rest = entries.filter(([key]) => !names.has(key));
  return [Object.fromEntries(picked) as Pick<Schema, K>, Object.fromEntries(rest)];
}

/** Whether the items of a list are objects with all these fields, so that they can be its keys. */
export function isListMapItem(items: Schema, keys: readonly string[]): boolean {
  return items.type === "object" && keys.every((key) => Object.hasOwn(items.properties ?? {}, key));
}

/** Keywords that may hold something else hold a schema. */
export function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
