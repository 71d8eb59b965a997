// maxSurge and maxUnavailable of a rolling update, as pod counts.
import { type Deployment, type ReplicaSet, scaleIntOrPercent } from "@kubewright/api";

export const replicasOf = ({ spec }: Deployment | ReplicaSet): number => spec?.replicas ?? 1;

export const isRolling = ({ spec }: Deployment): boolean => spec?.strategy?.type !== "Recreate";

/** Pods above the wanted number. */
export function maxSurge(deployment: Deployment): number {
  return isRolling(deployment) ? limits(deployment).surge : 0;
}

/** Pods that may be missing. */
export function maxUnavailable(deployment: Deployment): number {
  const replicas = replicasOf(deployment);
  return !isRolling(deployment) || replicas === 0 ? 0 : Math.min(limits(deployment).unavailable, replicas);
}

/** One of the two must allow something, or nothing could ever move. */
function limits(deployment: Deployment): { readonly surge: number; readonly unavailable: number } {
  const replicas = replicasOf(deployment);
  const { maxSurge = "25%", maxUnavailable = "25%" } = deployment.spec?.strategy?.rollingUpdate ?? {};
  const surge = scaleIntOrPercent(maxSurge, replicas, "up");
  const unavailable = scaleIntOrPercent(maxUnavailable, replicas, "down");
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

export const wantedReplicas = (sets: readonly ReplicaSet[]): number =>
  sets.reduce((sum, set) => sum + replicasOf(set), 0);

/** How many replicas the newest set may have now. */
export function replicasForNew(deployment: Deployment, all: readonly ReplicaSet[], current: number): number {
  const wanted = replicasOf(deployment);
  if (!isRolling(deployment)) return wanted;
  const room = wanted + maxSurge(deployment) - wantedReplicas(all);
  if (room <= 0) return current;
  return current + Math.max(0, Math.min(room, wanted - current));
}
