// Warnings about finalizers without a domain, which may clash with those of other controllers.

import type { DraftObject, StoredObject } from "@kubewright/kinds";

const standard: ReadonlySet<string> = new Set(["foregroundDeletion", "orphan"]);

/** Warnings about finalizers that are new. */
export function finalizerWarnings(object: DraftObject, old: StoredObject | undefined): string[] {
  const before = old?.metadata.finalizers ?? [];
  const added = (object.metadata.finalizers ?? []).filter((name) => !before.includes(name));
  return [...new Set(added)]
    .sort()
    .filter((name) => !name.includes("/") && !standard.has(name))
    .map(
      (name) =>
        `metadata.finalizers: "${name}": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers`,
    );
}
