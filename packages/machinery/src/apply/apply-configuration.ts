// Server-side apply: merges a configuration into the live object, removes fields its manager no longer applies, and updates managed
// fields.
import { ApiError, type GroupVersion, isObject, ownValue, parseApiVersion } from "@kubewright/api";
import type { AnyObject, ApplyOptions, ApplyResult } from "./apply-types.js";
import { conflictError } from "./conflict-error.js";
import { fieldsOfLastApplied, kubectl, refreshLastApplied } from "./last-applied.js";
import { ListItemError } from "./list-item.js";
import {
  decodeManagedFields,
  encodeManagedFields,
  type FieldManagers,
  ManagedFieldsError,
  newFieldManager,
  succeed,
} from "./managed-fields.js";
import { merge } from "./merge.js";
import { managedFieldsOf, withManagedFields } from "./object-managed-fields.js";
import { prune } from "./prune.js";
import { toFieldSet } from "./to-field-set.js";
import { entriesOf, recordUpdate, rulesOf, stripUnownable } from "./track-update.js";
import { ConflictsError, reconcileManagers, type TypedObject, transferFields } from "./updater.js";
import { typeProblems } from "./validate-typed.js";

/** Manages the fields an object had before the first apply. */
const beforeFirstApply = "before-first-apply";

/**
 * Merges an applied configuration into the live object. Throws an ApiError: 409 with a cause per field when other managers
 * have what would change, 400 and 500 for configurations the server does not take.
 */
export function applyConfiguration(options: ApplyOptions): ApplyResult {
  checkConfiguration(options);
  try {
    return resultOf(options, applyAllowingKubectl(options));
  } catch (error) {
    if (error instanceof ConflictsError) throw conflictError(error.conflicts);
    if (error instanceof ListItemError)
      throw internalError(`failed to merge config: ${error.message}`, error);
    throw error;
  }
}

function checkConfiguration({ applied, apiVersion, kind, typeInfo }: ApplyOptions): void {
  const given = describeKind(applied);
  const expected = describeGroupVersionKind(parseApiVersion(apiVersion), kind);
  if (given !== expected) throw badRequest(`invalid object type: ${given}`);
  const managedFields = managedFieldsOf(applied);
  if (managedFields !== undefined && managedFields !== null)
    throw badRequest("metadata.managedFields must be nil");
  const problems = typeProblems(applied, typeInfo);
  if (problems !== undefined) {
    const subject = `${metadataText(applied, "namespace")}/${metadataText(applied, "name")}; ${given}`;
    throw internalError(`failed to create typed patch object (${subject}): ${problems}`);
  }
}

interface Applied {
  /** Without managedFields. */
  readonly object: AnyObject;
  /** Nothing but who owns what may have changed. */
  readonly unchanged: boolean;
  readonly managers: FieldManagers;
}

/** kubectl may take what client-side apply set, as long as it has not changed since. */
function applyAllowingKubectl(options: ApplyOptions): Applied {
  const live = withManagedFields(options.live ?? {}, undefined);
  const managers = managersBefore(options, live);
  try {
    return apply(options, live, managers, options.force);
  } catch (error) {
    if (options.manager !== kubectl || !(error instanceof ConflictsError)) throw error;
    const allowed = fieldsOfLastApplied(live, options.typeInfo, options.apiVersion);
    if (!allowed) throw error;
    const conflicts = error.conflicts.filter(({ path }) => !allowed.has(path));
    if (conflicts.length > 0) throw new ConflictsError(conflicts);
    return apply(options, live, managers, true);
  }
}

function managersBefore(options: ApplyOptions, live: AnyObject): FieldManagers {
  const managers = decodeLive(options.live);
  if (managers.size > 0 || !options.live) return managers;
  return recordUpdate({ ...options, live: undefined, updated: live, manager: beforeFirstApply }, managers);
}

function decodeLive(live: AnyObject | undefined): FieldManagers {
  try {
    return decodeManagedFields(managedFieldsOf(live));
  } catch (error) {
    if (!(error instanceof ManagedFieldsError)) throw error;
    throw internalError(`failed to decode managed fields: ${error.message}`, error);
  }
}

function apply(request: ApplyOptions, live: AnyObject, managers: FieldManagers, force: boolean): Applied {
  const { applied, typeInfo, apiVersion, manager: name, subresource = "", time } = request;
  const rules = rulesOf(request);
  const before: TypedObject = { object: live, typeInfo, apiVersion };
  const reconciled = reconcileManagers(before, managers, rules);
  const fields = toFieldSet(applied, typeInfo).recursiveDifference(rules.ignored);
  const identity = { name: name || "unknown", operation: "Apply", apiVersion, subresource } as const;
  const acting = newFieldManager({ ...identity, time: undefined, fields });
  const last = reconciled.get(acting.id);
  reconciled.set(acting.id, { ...acting, time: last?.time });

  const merged = merge(live, applied, typeInfo);
  const whole: TypedObject = { ...before, object: isObject(merged) ? merged : {} };
  const result = prune(whole, reconciled, acting, last, rules);
  const options = { acting: acting.id, force, rules };
  const { managers: settled } = transferFields(before, result, reconciled, options);
  settled.delete(acting.id);
  const owned = stripUnownable(fields);
  // Only an apply that changes the object moves the time, so that applying the same again changes nothing.
  const unchanged = result.object === live;
  const moment = unchanged ? last?.time : time;
  if (!owned.isEmpty) settled.set(acting.id, succeed(last, { ...acting, fields: owned, time: moment }));
  return { object: result.object, unchanged, managers: settled };
}

function resultOf(options: ApplyOptions, { object, unchanged, managers }: Applied): ApplyResult {
  const { live, applied, manager } = options;
  const previous = entriesOf(live);
  const managedFields = encodeManagedFields(managers, previous);
  const refreshed = manager === kubectl ? refreshLastApplied(object, applied) : object;
  if (live && unchanged && refreshed === object && managedFields === previous)
    return { object: live, managedFields };
  return { object: withManagedFields(refreshed, managedFields), managedFields };
}

function describeKind(object: AnyObject): string {
  const apiVersion = ownValue(object, "apiVersion");
  const kind = ownValue(object, "kind");
  return describeGroupVersionKind(
    parseApiVersion(typeof apiVersion === "string" ? apiVersion : ""),
    typeof kind === "string" ? kind : "",
  );
}

/** As Go prints it: `/v1, Kind=ConfigMap` for the core group. */
function describeGroupVersionKind(groupVersion: GroupVersion | undefined, kind: string): string {
  const { group, version } = groupVersion ?? { group: "", version: "" };
  return `${group}/${version}, Kind=${kind}`;
}

function metadataText(object: AnyObject, key: string): string {
  const metadata = ownValue(object, "metadata");
  const value = isObject(metadata) ? ownValue(metadata, key) : undefined;
  return typeof value === "string" ? value : "";
}

const badRequest = (message: string) => new ApiError(message, { code: 400, reason: "BadRequest" });

/** An error that kube-apiserver does not map: 500 without a reason. */
const internalError = (message: string, cause?: unknown) =>
  new ApiError(message, { code: 500, reason: "Unknown", cause });
