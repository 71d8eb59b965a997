// Keeps managedFields through creates, updates and patches.
import { deepEqual, isObject, type ManagedFieldsEntry, ownValue } from "@kubewright/api";
import { emptyFieldsOf } from "../codec/built-in/empty-fields.js";
import type { AnyObject, TrackUpdateOptions } from "./apply-types.js";
import { capUpdaters } from "./cap-managers.js";
import { emptyObject } from "./empty-object.js";
import { FieldSet } from "./field-set.js";
import { ListItemError } from "./list-item.js";
import {
  decodeManagedFields,
  encodeManagedFields,
  type FieldManager,
  type FieldManagers,
  ManagedFieldsError,
  newFieldManager,
  type PrintFields,
  succeed,
} from "./managed-fields.js";
import { isReset, managedFieldsOf, withManagedFields } from "./object-managed-fields.js";
import { type TypedObject, type UpdateRules, updateManagers } from "./updater.js";

/** Fields that are never managed: the server's own, and those that name the object. */
const neverOwned = FieldSet.ofFields([
  "apiVersion",
  "kind",
  "metadata",
  "metadata.name",
  "metadata.namespace",
  "metadata.creationTimestamp",
  "metadata.selfLink",
  "metadata.uid",
  "metadata.clusterName",
  "metadata.generation",
  "metadata.managedFields",
  "metadata.resourceVersion",
]);

/** The set without fields that are never managed. */
export const stripUnownable = (fields: FieldSet): FieldSet => fields.difference(neverOwned);

/**
 * The managedFields of an object after a create, update or patch. The very list of `live` comes back when nothing
 * changed hands; undefined when the object is not tracked.
 */
export function trackUpdate(
  options: TrackUpdateOptions,
  print?: PrintFields,
): readonly ManagedFieldsEntry[] | undefined {
  const { live } = options;
  const previous = entriesOf(live);
  const managers = managersBefore(options);
  // An object that once lost its managedFields is tracked again from the next apply on.
  if (managers.size === 0 && hasUid(live)) return undefined;
  try {
    return encodeManagedFields(recordUpdate(options, managers), previous, print);
  } catch (error) {
    if (!(error instanceof ListItemError)) throw error;
    // Managed fields are bookkeeping: items without identity must not fail the write. What was known can no longer be trusted.
    return undefined;
  }
}

/** managedFields as a list, if they are one. */
export function entriesOf(object: AnyObject | undefined): readonly ManagedFieldsEntry[] | undefined {
  const entries = managedFieldsOf(object);
  return Array.isArray(entries) ? entries : undefined;
}

function hasUid(object: AnyObject | undefined): boolean {
  const metadata = ownValue(object, "metadata");
  return isObject(metadata) && Boolean(ownValue(metadata, "uid"));
}

/** Clients may write managedFields, but not through a subresource; what they cannot have meant is ignored. */
function managersBefore({ live, updated, subresource }: TrackUpdateOptions): FieldManagers {
  if (!subresource) {
    const sent = managedFieldsOf(updated);
    if (isReset(sent) || wasSentEmpty(updated)) return new Map();
    // Most clients send back what they read.
    const managers = deepEqual(sent, managedFieldsOf(live)) ? undefined : decodeOrNone(sent);
    if (managers && managers.size > 0) return rewritten(managers);
  }
  return decodeOrNone(managedFieldsOf(live));
}

/** An empty list is not printed, so that it is no longer there. To custom objects it means nothing. */
const wasSentEmpty = (object: AnyObject): boolean => emptyFieldsOf(object).has("metadata.managedFields");

/** Rewrites managed fields that a client sent in canonical form. */
function rewritten(managers: FieldManagers): FieldManagers {
  const written = new Map<string, FieldManager>();
  for (const [id, manager] of managers) {
    written.set(id, { ...manager, source: undefined });
  }
  return written;
}

function decodeOrNone(entries: unknown): FieldManagers {
  try {
    return decodeManagedFields(entries);
  } catch (error) {
    if (error instanceof ManagedFieldsError) return new Map();
    throw error;
  }
}

type UpdateToRecord = Omit<TrackUpdateOptions, "live"> & { readonly live: AnyObject | undefined };

/** The managers after an update by `manager`. Throws ListItemError. */
export function recordUpdate(options: UpdateToRecord, managers: FieldManagers): FieldManagers {
  const { live, updated, typeInfo, apiVersion, time, subresource = "", manager } = options;
  const typed = (object: AnyObject): TypedObject => ({
    object: withManagedFields(object, undefined),
    typeInfo,
    apiVersion,
  });
  const before = typed(live ?? emptyObject(typeInfo));
  const result = updateManagers(before, typed(updated), managers, rulesOf(options));
  const taken = stripUnownable(result.taken);
  if (taken.isEmpty) return capUpdaters(result.managers);
  const entry = newFieldManager({
    name: manager || "unknown",
    operation: "Update",
    apiVersion,
    subresource,
    time,
    fields: taken,
  });
  const owned = result.managers.get(entry.id)?.fields ?? FieldSet.empty;
  const next = succeed(managers.get(entry.id), { ...entry, fields: owned.union(taken) });
  return capUpdaters(result.managers.set(entry.id, next));
}

/** The rules of a write. */
export function rulesOf({
  resetFields,
  convert,
}: Pick<TrackUpdateOptions, "resetFields" | "convert">): UpdateRules {
  return { ignored: resetFields ? FieldSet.ofFields(resetFields) : FieldSet.empty, convert };
}
