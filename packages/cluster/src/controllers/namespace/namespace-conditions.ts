// Why a namespace is still there.
import { formatTime, type Namespace, type NamespaceCondition } from "@kubewright/api";
import type { DynamicResource, PartialObjectMetadata } from "@kubewright/client";

/** The remaining objects of a namespace, kind by kind. */
export type Remains = readonly (readonly [DynamicResource, readonly PartialObjectMetadata[]])[];

interface Text {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/** The conditions of a namespace that is being deleted. */
export function namespaceConditions(
  namespace: Namespace,
  remains: Remains,
  failures: readonly string[],
  now: number,
): readonly NamespaceCondition[] {
  const texts: readonly Text[] = [
    no("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
    no(
      "NamespaceDeletionGroupVersionParsingFailure",
      "ParsedGroupVersions",
      "All legacy kube types successfully parsed",
    ),
    failures.length > 0
      ? yes(
          "NamespaceDeletionContentFailure",
          "ContentDeletionFailed",
          `Failed to delete all resource types, ${failures.length} remaining: ${failures.join(", ")}`,
        )
      : no(
          "NamespaceDeletionContentFailure",
          "ContentDeleted",
          "All content successfully deleted, may be waiting on finalization",
        ),
    remainingText(remains),
    finalizersText(remains),
  ];
  return texts.map((text) => {
    const known = namespace.status?.conditions?.find(({ type }) => type === text.type);
    const lastTransitionTime = known?.status === text.status ? known.lastTransitionTime : formatTime(now);
    return { ...text, lastTransitionTime };
  });
}

const yes = (type: string, reason: string, message: string): Text => ({
  type,
  status: "True",
  reason,
  message,
});
const no = (type: string, reason: string, message: string): Text => ({
  type,
  status: "False",
  reason,
  message,
});

function remainingText(remains: Remains): Text {
  const type = "NamespaceContentRemaining";
  if (remains.length === 0) return no(type, "ContentRemoved", "All content successfully removed");
  const counts = remains
    .map(([{ plural, group }, objects]) => `${plural}.${group} has ${objects.length} resource instances`)
    .sort();
  return yes(type, "SomeResourcesRemain", `Some resources are remaining: ${counts.join(", ")}`);
}

function finalizersText(remains: Remains): Text {
  const type = "NamespaceFinalizersRemaining";
  const counts = new Map<string, number>();
  for (const [, objects] of remains)
    for (const { metadata } of objects)
      for (const finalizer of metadata.finalizers ?? [])
        counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1);
  if (counts.size === 0)
    return no(type, "ContentHasNoFinalizers", "All content-preserving finalizers finished");
  const listed = [...counts]
    .map(([finalizer, count]) => `${finalizer} in ${count} resource instances`)
    .sort();
  return yes(
    type,
    "SomeFinalizersRemain",
    `Some content in the namespace has finalizers remaining: ${listed.join(", ")}`,
  );
}
