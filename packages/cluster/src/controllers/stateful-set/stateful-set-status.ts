// The status of a StatefulSet.
import type { Pod, StatefulSet, StatefulSetStatus } from "@kubewright/api";
import { isAvailable, isReady } from "../../workload/pod-state.js";
import type { TemplateRevisions } from "../../workload/template-revisions.js";
import { isTerminating, podRevision, replicasOf } from "./stateful-pods.js";

/** The status, given its pods; an update that has reached every pod makes the new revision the current one. */
export function statefulSetStatus(
  set: StatefulSet,
  pods: readonly Pod[],
  { current, update }: TemplateRevisions,
  now: number,
): StatefulSetStatus {
  const living = pods.filter((pod) => !isTerminating(pod));
  const of = (name: string | undefined): number => living.filter((pod) => podRevision(pod) === name).length;
  const ready = pods.filter((pod) => pod.status?.phase === "Running" && isReady(pod));
  const updated = of(update.metadata?.name);
  const isUpdated =
    set.spec?.updateStrategy?.type !== "OnDelete" &&
    updated === replicasOf(set) &&
    ready.length === replicasOf(set) &&
    pods.length === replicasOf(set);
  const currentReplicas = isUpdated ? updated : of(current.metadata?.name);
  const { collisionCount = 0, conditions } = set.status ?? {};
  return {
    observedGeneration: set.metadata?.generation,
    replicas: pods.length,
    ...positive({ readyReplicas: ready.length, currentReplicas, updatedReplicas: updated }),
    availableReplicas: ready.filter((pod) => isAvailable(pod, set.spec?.minReadySeconds ?? 0, now)).length,
    currentRevision: (isUpdated ? update : current).metadata?.name,
    updateRevision: update.metadata?.name,
    collisionCount,
    ...(conditions ? { conditions } : {}),
  };
}

/** Counts of zero are left out, as the server would. */
function positive(counts: Readonly<Record<string, number>>): Partial<StatefulSetStatus> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
}
