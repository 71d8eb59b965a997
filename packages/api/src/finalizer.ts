// Finalizers keep a deleted object until the controllers that set them have cleaned up. Nothing here changes its
// argument; an object that needs no change is returned as it is.
import type { KubeObject } from "./object.js";

/** True when deletion was requested; the object is removed when its last finalizer is. */
export function isBeingDeleted(object: KubeObject): boolean {
  return object.metadata?.deletionTimestamp !== undefined;
}

/** True when the object has the finalizer. */
export function hasFinalizer(object: KubeObject, finalizer: string): boolean {
  return object.metadata?.finalizers?.includes(finalizer) ?? false;
}

/** Returns the object with the finalizer, or the same object if it has it already. */
export function addFinalizer<T extends KubeObject>(object: T, finalizer: string): T {
  if (hasFinalizer(object, finalizer)) return object;
  const finalizers = [...(object.metadata?.finalizers ?? []), finalizer];
  return { ...object, metadata: { ...object.metadata, finalizers } };
}

/** Returns the object without the finalizer, or the same object if it has none of that name. */
export function removeFinalizer<T extends KubeObject>(object: T, finalizer: string): T {
  if (!hasFinalizer(object, finalizer)) return object;
  const finalizers = object.metadata?.finalizers?.filter((name) => name !== finalizer);
  return { ...object, metadata: { ...object.metadata, finalizers } };
}
