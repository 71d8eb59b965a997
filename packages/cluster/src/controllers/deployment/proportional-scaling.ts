// A Deployment that is scaled in the middle of a rollout keeps the proportions of its sets.
import type { Deployment, ReplicaSet } from "@kubewright/api";
import { byAge, mostWhenScaled } from "./revisions.js";
import { maxSurge, replicasOf, wantedReplicas } from "./rollout-limits.js";

/** The new size of every active set. */
export function proportionalSizes(
  deployment: Deployment,
  active: readonly ReplicaSet[],
): readonly (readonly [ReplicaSet, number])[] {
  const wanted = replicasOf(deployment);
  const allowed = wanted > 0 ? wanted + maxSurge(deployment) : 0;
  const toAdd = allowed - wantedReplicas(active);
  const sorted = active.toSorted((a, b) => {
    const size = replicasOf(b) - replicasOf(a);
    return size !== 0 ? size : toAdd > 0 ? byAge(b, a) : byAge(a, b);
  });
  const sizes = new Map<ReplicaSet, number>();
  let added = 0;
  for (const set of sorted) {
    const share = toAdd === 0 ? 0 : proportion(deployment, set, toAdd, added);
    sizes.set(set, replicasOf(set) + share);
    added += share;
  }
  const [largest] = sorted;
  // The remainder of rounding goes to the largest set.
  if (largest && toAdd !== 0) sizes.set(largest, Math.max(0, (sizes.get(largest) ?? 0) + toAdd - added));
  return [...sizes];
}

function proportion(deployment: Deployment, set: ReplicaSet, toAdd: number, added: number): number {
  const size = replicasOf(set);
  if (size === 0 || toAdd === added) return 0;
  const wanted = replicasOf(deployment);
  const before = mostWhenScaled(set) || deployment.status?.replicas || 1;
  const share = wanted === 0 ? -size : Math.round((size * (wanted + maxSurge(deployment))) / before) - size;
  const left = toAdd - added;
  return toAdd > 0 ? Math.min(share, left) : Math.max(share, left);
}
