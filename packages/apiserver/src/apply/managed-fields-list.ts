import type { ManagedFieldsEntry } from "@kubewright/api";
import type { AnyObject } from "./apply-types.js";

/** The object with these managedFields (none when undefined); the object itself when it has them already. */
export function withManagedFields(
  object: AnyObject,
  managedFields: readonly ManagedFieldsEntry[] | undefined,
): AnyObject {
  throw new Error(`not yet: ${Object.keys(object).length} ${managedFields?.length}`);
}

/**
 * `live` when the two differ in nothing but the times of their managedFields, else `updated`: a write that changes
 * nothing keeps its resourceVersion. Call it last, after admission.
 */
export function ignoreTimestamps(updated: AnyObject, live: AnyObject): AnyObject {
  throw new Error(`not yet: ${updated} ${live}`);
}
