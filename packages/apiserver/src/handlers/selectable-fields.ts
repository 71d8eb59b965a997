// The fields objects of a kind can be selected by.

import type { FieldMatcher } from "@kubewright/api";
import { badRequest, type StoredObject } from "@kubewright/kinds";

import type { ResourceKind } from "../registry/resource-kind.js";

/** Throws 400 when the selector names a field the kind cannot be selected by. */
export function checkFields(selector: FieldMatcher, kind: ResourceKind): void {
  const own = kind.strategy.selectableFields ?? [];
  const hasOwnRules = kind.custom || own.length > 0;
  for (const { field } of selector.requirements) {
    if (field === "metadata.name" || own.includes(field)) continue;
    // Kinds without rules of their own let even those without a namespace be selected by it.
    if (field === "metadata.namespace" && (kind.scope === "Namespaced" || !hasOwnRules)) continue;
    if (!hasOwnRules)
      throw badRequest(
        `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`,
      );
    throw badRequest(kind.strategy.unknownFieldText?.(field) ?? `field label not supported: ${field}`);
  }
}

/** The value of a field as selectors compare it. */
export function fieldOf(object: StoredObject, field: string, kind: ResourceKind): string {
  if (field === "metadata.name") return object.metadata.name;
  if (field === "metadata.namespace") return object.metadata.namespace ?? "";
  if (kind.strategy.selectableField) return kind.strategy.selectableField(object, field);
  return scalarAt(object, field.split("."));
}

/** The value at a path: scalars as text, everything else as empty. */
function scalarAt(object: unknown, path: readonly string[]): string {
  let value: unknown = object;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return "";
    value = (value as Record<string, unknown>)[key];
  }
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : "";
}
