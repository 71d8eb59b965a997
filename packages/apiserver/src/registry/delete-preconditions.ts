// Preconditions of a delete: uid and resourceVersion.

import { conflict, type StoredObject } from "@kubewright/kinds";
import type { DeleteOptions } from "./delete-options.js";
import { failureKind, type ResourceKind, subjectOf } from "./resource-kind.js";

/** Throws 409 when the object is not the one that was meant. */
export function checkPreconditions(
  kind: ResourceKind,
  { metadata: { name, uid, resourceVersion } }: StoredObject,
  { preconditions }: Pick<DeleteOptions, "preconditions">,
): void {
  const check = (what: string, wanted: string | undefined, found: string, guess: string): void => {
    if (wanted === undefined || wanted === found) return;
    // kube-apiserver words the conflict differently for kinds whose deletion it completes itself.
    if (kind.strategy.isHeld || kind.strategy.deletionFinalizers)
      throw conflict(
        subjectOf(kind, name),
        `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found}`,
      );
    throw conflict(
      { group: failureKind(kind).group, resource: kind.kind, name },
      `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${found}). The object might have been ${guess}`,
    );
  };
  check("UID", preconditions.uid, uid, "deleted and then recreated");
  check("ResourceVersion", preconditions.resourceVersion, resourceVersion, "modified");
}
