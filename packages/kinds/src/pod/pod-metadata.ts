// Subresources that are about one part of a pod leave its metadata as it is.
import { cloneJson } from "@kubewright/api";
import type { DraftObject, StoredObject } from "../objects.js";

const kept = [
  "labels",
  "annotations",
  "finalizers",
  "ownerReferences",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

/** Takes labels, annotations, owners and finalizers from the stored object. */
export function keepPodMetadata({ metadata }: DraftObject, old: StoredObject): void {
  for (const name of kept) {
    if (old.metadata[name] === undefined) delete metadata[name];
    else Object.assign(metadata, { [name]: cloneJson(old.metadata[name]) });
  }
}
