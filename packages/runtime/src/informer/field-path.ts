// Reads a field by its path, as field selectors name it: `spec.nodeName`.
import type { FieldMatcher } from "@kubewright/api";

/** The text of a field; empty when it is absent or no scalar. */
export function fieldText(object: unknown, path: string): string {
  const value = fieldValue(object, path);
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : "";
}

function fieldValue(object: unknown, path: string): unknown {
  let value: unknown = object;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = Reflect.get(value, name);
  }
  return value;
}

/** True when the fields of an object are as a field selector wants them. */
export function matchesFields({ requirements }: FieldMatcher, object: unknown): boolean {
  return requirements.every(({ field, operator, value }) => {
    const actual = fieldText(object, field);
    // A boolean that is not set is left out of the object, but selected by as "false".
    const isEqual = actual === value || (actual === "" && value === "false");
    return isEqual === (operator === "=");
  });
}
