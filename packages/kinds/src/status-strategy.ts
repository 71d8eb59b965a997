// The rules most kinds share: spec belongs to users, status to controllers, and only spec counts generations.
import { cloneJson, deepEqual } from "@kubewright/api";
import type { DraftMeta, DraftObject, StoredObject } from "./objects.js";
import type { Strategy } from "./strategy.js";

/**
 * For writes to the object itself: status is not theirs, and a changed spec is a new generation. `emptyStatus` makes the
 * status of a new object, undefined where that is simply absent; with `keepsOnCreate` the status in the create request is kept.
 */
export function withStatus(strategy: Strategy, emptyStatus?: () => unknown, keepsOnCreate = false): Strategy {
  return {
    hasGeneration: true,
    ...strategy,
    resetFields: ["status", ...(strategy.resetFields ?? [])],
    prepareForCreate(object, context) {
      if (!keepsOnCreate) {
        const status = emptyStatus?.();
        if (status === undefined) delete object["status"];
        else object["status"] = status;
      }
      strategy.prepareForCreate?.(object, context);
    },
    prepareForUpdate(object, old, context) {
      keepField(object, old, "status");
      strategy.prepareForUpdate?.(object, old, context);
      if (strategy.hasGeneration !== false && !deepEqual(object["spec"], old["spec"]))
        bumpGeneration(object, old);
    },
  };
}

/** Increments `metadata.generation`. */
export function bumpGeneration(object: DraftObject, old: StoredObject): void {
  object.metadata.generation = Number(old.metadata.generation ?? 0) + 1;
}

/** Takes a field from the stored object, whatever the client sent. */
export function keepField(object: DraftObject, old: StoredObject, field: string): void {
  if (old[field] === undefined) delete object[field];
  else object[field] = cloneJson(old[field]);
}

/** As `keepField`, for what no rule of the kind changes afterwards: both objects share it. */
function share(object: DraftObject, old: StoredObject, field: string): void {
  if (old[field] === undefined) delete object[field];
  else object[field] = old[field];
}

/** Takes all metadata but the managed fields from the stored object: for statuses whose writers may change nothing else. */
export function keepMetadata(object: DraftObject, old: StoredObject): void {
  const { managedFields } = object.metadata;
  // No rule changes metadata afterwards, so that what is in it is shared.
  object.metadata = { ...old.metadata } as DraftMeta;
  if (managedFields) object.metadata.managedFields = managedFields;
  else delete object.metadata.managedFields;
}

/** The rules for `/status` of kinds whose metadata cannot be written through it. */
export const statusAlone: Partial<Strategy> = {
  resetFields: ["metadata", "spec"],
  prepareForUpdate: keepMetadata,
};

/** For writes through `/status`: everything but status stays as it is, and metadata too where the kind's strategy resets it. */
export function statusStrategy(strategy: Strategy, own: Partial<Strategy> = {}): Strategy {
  return {
    hasGeneration: strategy.hasGeneration,
    allowUnconditionalUpdate: strategy.allowUnconditionalUpdate,
    ...(strategy.applyDefaults ? { applyDefaults: strategy.applyDefaults } : {}),
    resetFields: ["spec"],
    ...own,
    prepareForUpdate(object, old, context) {
      share(object, old, "spec");
      own.prepareForUpdate?.(object, old, context);
    },
  };
}
