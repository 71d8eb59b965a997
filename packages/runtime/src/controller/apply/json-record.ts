// JSON as it is looked at here: objects by their own keys.

/** A JSON object. */
export interface JsonRecord {
  readonly [key: string]: unknown;
}

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for what servers leave out when they store an object: false, 0, empty texts, lists and objects. */
export function isNothing(value: unknown): boolean {
  if (value === false || value === 0 || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}
