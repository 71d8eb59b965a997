// Changes the size of a Deployment without moving its rollout on.
import type { ReplicaSet } from "@kubewright/api";
import { proportionalSizes } from "./proportional-scaling.js";
import { byAge, desiredWhenScaled } from "./revisions.js";
import type { Rollout } from "./rollout.js";
import { isRolling, replicasOf } from "./rollout-limits.js";

/** Whether the Deployment wants another number of pods than when its sets were last scaled. */
export function isScaled({ deployment, all }: Rollout): boolean {
  return active(all).some((set) => {
    const desired = desiredWhenScaled(set);
    return desired !== undefined && desired !== replicasOf(deployment);
  });
}

/** Scales the one set that counts, or all in proportion. */
export async function scaleSets(rollout: Rollout): Promise<void> {
  const { deployment, newest, old, all } = rollout;
  const wanted = replicasOf(deployment);
  const only = onlyActiveOrLatest(newest, all);
  if (only) {
    if (replicasOf(only) !== wanted) await rollout.scale(only, wanted);
    return;
  }
  if (newest && isSaturated(newest, wanted)) {
    for (const set of active(old)) await rollout.scale(set, 0);
    return;
  }
  if (!isRolling(deployment)) return;
  for (const [set, size] of proportionalSizes(deployment, active(all))) await rollout.scale(set, size);
}

const active = (sets: readonly ReplicaSet[]): readonly ReplicaSet[] =>
  sets.filter((set) => replicasOf(set) > 0);

function onlyActiveOrLatest(
  newest: ReplicaSet | undefined,
  all: readonly ReplicaSet[],
): ReplicaSet | undefined {
  const running = active(all);
  if (running.length > 1) return undefined;
  return running[0] ?? newest ?? all.toSorted(byAge).at(-1);
}

/** The newest set has all pods it should have, and they are available. */
function isSaturated(set: ReplicaSet, wanted: number): boolean {
  return (
    replicasOf(set) === wanted &&
    desiredWhenScaled(set) === wanted &&
    (set.status?.availableReplicas ?? 0) === wanted
  );
}
