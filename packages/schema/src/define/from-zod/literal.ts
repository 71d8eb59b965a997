// Enumerations and literals: a type and the values it may have.
import type { JSONSchemaProps, JsonValue } from "@kubewright/api";
import type { Walk } from "./walk.js";

/** The schema of a value that is one of these. */
export function convertValues(values: readonly unknown[], path: string, walk: Walk): JSONSchemaProps {
  if (values.length === 0)
    return walk.refuse(path, "an enumeration without values accepts nothing; give it values");
  const scalars = values.filter(isScalar);
  const type = commonType(scalars);
  if (scalars.length !== values.length || type === undefined) {
    return walk.refuse(
      path,
      "the values of an enumeration must be strings, or numbers, or booleans, and of one type",
    );
  }
  return { type, enum: scalars };
}

function isScalar(value: unknown): value is Exclude<JsonValue, null | object> {
  return typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

function commonType(values: readonly (string | number | boolean)[]): string | undefined {
  const types = new Set(values.map((value) => typeof value));
  if (types.size !== 1) return undefined;
  if (types.has("number")) return values.every(Number.isInteger) ? "integer" : "number";
  return types.has("string") ? "string" : "boolean";
}

/** The values of a `z.enum()`; a numeric TypeScript enum also maps its values back to names, which are no values. */
export function enumValues(entries: Readonly<Record<string, string | number>>): readonly (string | number)[] {
  const numbers = new Set(Object.values(entries).filter((value) => typeof value === "number"));
  return Object.entries(entries)
    .filter(([key]) => !numbers.has(Number(key)))
    .map(([, value]) => value);
}
