// Replaces pods little by little: the newest set grows as far as the surge allows, the others shrink as far as enough pods
// stay available.
import type { ReplicaSet } from "@kubewright/api";
import { byAge } from "./revisions.js";
import type { Rollout } from "./rollout.js";
import { maxUnavailable, replicasForNew, replicasOf, wantedReplicas } from "./rollout-limits.js";

/** Makes one step: more new pods, or else fewer old ones. */
export async function rollingUpdate(rollout: Rollout): Promise<void> {
  await rollout.revise({ create: true });
  if (await growNewest(rollout)) return;
  await shrinkOld(rollout);
}

async function growNewest(rollout: Rollout): Promise<boolean> {
  const { newest, deployment } = rollout;
  if (!newest) return false;
  const wanted = replicasOf(deployment);
  const size = replicasOf(newest);
  if (size === wanted) return false;
  const next = size > wanted ? wanted : replicasForNew(deployment, rollout.all, size);
  return rollout.scale(newest, next);
}

async function shrinkOld(rollout: Rollout): Promise<void> {
  const { deployment, newest } = rollout;
  if (wantedReplicas(rollout.old) === 0) return;
  const least = replicasOf(deployment) - maxUnavailable(deployment);
  const missing = newest ? replicasOf(newest) - (newest.status?.availableReplicas ?? 0) : 0;
  const spare = wantedReplicas(rollout.all) - least - missing;
  if (spare <= 0) return;
  await dropUnhealthy(rollout, spare);
  await dropAvailable(rollout, least);
}

/** Old pods that do not work go first: nobody misses them. */
async function dropUnhealthy(rollout: Rollout, spare: number): Promise<void> {
  let left = spare;
  for (const set of inOrder(rollout.old)) {
    if (left <= 0) return;
    const unhealthy = replicasOf(set) - (set.status?.availableReplicas ?? 0);
    const dropped = Math.min(left, unhealthy);
    if (dropped <= 0) continue;
    await rollout.scale(set, replicasOf(set) - dropped);
    left -= dropped;
  }
}

async function dropAvailable(rollout: Rollout, least: number): Promise<void> {
  const available = rollout.all.reduce((sum, set) => sum + availableIn(set), 0);
  let left = available - least;
  for (const set of inOrder(rollout.old)) {
    if (left <= 0) return;
    const dropped = Math.min(left, replicasOf(set));
    if (dropped === 0) continue;
    await rollout.scale(set, replicasOf(set) - dropped);
    left -= dropped;
  }
}

/** The available replicas that stay: those that a set is scaled down by may still be in its status. */
const availableIn = (set: ReplicaSet): number =>
  Math.min(set.status?.availableReplicas ?? 0, replicasOf(set));

const inOrder = (sets: readonly ReplicaSet[]): readonly ReplicaSet[] => sets.toSorted(byAge);
