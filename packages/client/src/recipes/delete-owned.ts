import { isNotFound, type KubeObject, type ResourceDescriptor } from "@kubewright/api";
import type { Client } from "../client.js";
import type { DeleteOptions } from "../options.js";
import { metadataOnly } from "../view.js";
import { type RetryOnConflictOptions, retryOnConflict } from "./retry-on-conflict.js";

/** The outcome for the object. */
export type DeleteOwnedOutcome = "deleted" | "absent" | "not owned";

/**
 * Deletes an object if `owner` is its controller, and leaves it alone otherwise. An object that changes hands, or is
 * replaced by another of the same name, between the look and the deletion is not deleted by mistake.
 */
export function deleteOwned(
  client: Client,
  resource: ResourceDescriptor,
  name: string,
  owner: KubeObject,
  options: Omit<DeleteOptions, "preconditions"> & RetryOnConflictOptions = {},
): Promise<DeleteOwnedOutcome> {
  const ownerUid = owner.metadata?.uid;
  if (ownerUid === undefined) {
    throw new TypeError(`${owner.kind} ${owner.metadata?.name} has no uid, so it can own nothing`);
  }
  const attempt = async (): Promise<DeleteOwnedOutcome> => {
    const { metadata } = await client.get(metadataOnly(resource), name, options);
    const controller = metadata.ownerReferences?.find((reference) => reference.controller);
    if (controller?.uid !== ownerUid) return "not owned";
    const { uid, resourceVersion } = metadata;
    await client.delete(resource, name, { ...options, preconditions: { uid, resourceVersion } });
    return "deleted";
  };
  return retryOnConflict(attempt, options).catch((error: unknown) => {
    if (isNotFound(error)) return "absent";
    throw error;
  });
}
