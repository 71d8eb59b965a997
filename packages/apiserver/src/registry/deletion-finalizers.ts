// The finalizers of a deletion: the propagation policy adds or removes the ones that make the garbage collector delete or
// orphan the dependents first.

import type { StoredObject } from "@kubewright/kinds";
import type { DeleteOptions } from "./delete-options.js";
import type { ResourceKind } from "./resource-kind.js";

const orphan = "orphan";
const foreground = "foregroundDeletion";

/** The finalizers the object must have from now on; in the order they had if they are the same. */
export function deletionFinalizers(
  { strategy }: ResourceKind,
  { metadata }: StoredObject,
  options: DeleteOptions,
): readonly string[] {
  const present = metadata.finalizers ?? [];
  // The server's own finalizers come first, whatever the propagation policy.
  if (strategy.deletionFinalizers && metadata.deletionTimestamp === undefined)
    return [...new Set([...present, ...strategy.deletionFinalizers])];
  const wanted = collectorFinalizer(present, options, strategy.defaultPropagation);
  const others = present.filter((name) => name !== orphan && name !== foreground);
  const next = wanted === undefined ? others : [...others, wanted];
  return areSame(next, present) ? present : next;
}

/** There may be as many as an object has room for. */
function areSame(next: readonly string[], present: readonly string[]): boolean {
  if (next.length !== present.length) return false;
  const known = new Set(present);
  return next.every((name) => known.has(name));
}

/** The delete options come first, then finalizers of the object, then the default of its kind. */
function collectorFinalizer(
  present: readonly string[],
  { orphanDependents, propagationPolicy }: DeleteOptions,
  usual: "Background" | "Orphan" | "Unsupported" = "Background",
): string | undefined {
  if (usual === "Unsupported") return undefined;
  if (orphanDependents !== undefined) return orphanDependents ? orphan : undefined;
  if (propagationPolicy === "Orphan") return orphan;
  if (propagationPolicy === "Foreground") return foreground;
  if (propagationPolicy === "Background") return undefined;
  const own = present.find((name) => name === orphan || name === foreground);
  return own ?? (usual === "Orphan" ? orphan : undefined);
}
