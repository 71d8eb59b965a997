// managedFields where they stand in an object.
import { deepEqual, isObject, type ManagedFieldsEntry, ownValue } from "@kubewright/api";
import { isEmptyMap } from "../json-map.js";
import type { AnyObject } from "./apply-types.js";

/** The managedFields of an object as they stand there, unread. */
export function managedFieldsOf(object: AnyObject | undefined): unknown {
  const metadata = ownValue(object, "metadata");
  return isObject(metadata) ? ownValue(metadata, "managedFields") : undefined;
}

/** The object with these managedFields (none when undefined); the object itself when it has them already. */
export function withManagedFields(
  object: AnyObject,
  managedFields: readonly ManagedFieldsEntry[] | undefined,
): AnyObject {
  if (managedFieldsOf(object) === managedFields) return object;
  const value = ownValue(object, "metadata");
  const { managedFields: _previous, ...metadata } = isObject(value) ? value : {};
  return { ...object, metadata: managedFields === undefined ? metadata : { ...metadata, managedFields } };
}

/** True when a client asks for tracking to start anew: an empty list, or one empty entry. */
export function isReset(managedFields: unknown): boolean {
  if (!Array.isArray(managedFields)) return false;
  if (managedFields.length === 0) return true;
  const [first] = managedFields;
  return managedFields.length === 1 && isObject(first) && isEmptyMap(first);
}

/**
 * `live` when the two differ in nothing but the times of their managedFields, else `updated`: a write that changes
 * nothing keeps its resourceVersion. Call it last, after admission.
 */
export function ignoreTimestamps(updated: AnyObject, live: AnyObject): AnyObject {
  if (updated === live) return live;
  const before = managedFieldsOf(live);
  const after = managedFieldsOf(updated);
  if (!Array.isArray(before) || !Array.isArray(after) || before.length !== after.length) {
    return deepEqual(updated, live) ? live : updated;
  }
  for (const [index, entry] of after.entries())
    if (!deepEqual(withoutTime(entry), withoutTime(before[index]))) return updated;
  const [now, then] = [withManagedFields(updated, undefined), withManagedFields(live, undefined)];
  return deepEqual(now, then) ? live : updated;
}

function withoutTime(entry: unknown): unknown {
  if (!isObject(entry)) return entry;
  const { time: _time, ...rest } = entry;
  return rest;
}
