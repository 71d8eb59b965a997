// A short hash of a value that does not depend on the order of its fields.
import { createHash } from "node:crypto";
import { isObject } from "@kubewright/api";

export const hashOf = (value: unknown): string =>
  createHash("sha256")
    .update(JSON.stringify(ordered(value)))
    .digest("hex")
    .slice(0, 16);

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([name, inner]) => [name, ordered(inner)]);
}
