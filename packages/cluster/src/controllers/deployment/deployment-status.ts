// The status of a Deployment: replica counts and the Available condition.
import {
  type Deployment,
  type DeploymentCondition,
  type DeploymentStatus,
  findCondition,
  formatTime,
  type ReplicaSet,
} from "@kubewright/api";
import { maxUnavailable, replicasOf } from "./rollout-limits.js";

/** Status, reason and message of a condition. */
export interface ConditionText {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

const sum = (sets: readonly ReplicaSet[], of: (set: ReplicaSet) => number | undefined): number =>
  sets.reduce((total, set) => total + (of(set) ?? 0), 0);

/** Counts and availability; the Progressing condition is separate. */
export function countedStatus(
  deployment: Deployment,
  newSet: ReplicaSet | undefined,
  all: readonly ReplicaSet[],
  now: number,
): DeploymentStatus {
  const replicas = sum(all, ({ status }) => status?.replicas);
  const available = sum(all, ({ status }) => status?.availableReplicas);
  const isAvailable = available >= replicasOf(deployment) - maxUnavailable(deployment);
  const { collisionCount, conditions } = deployment.status ?? {};
  return {
    observedGeneration: deployment.metadata?.generation,
    ...positive({
      replicas,
      updatedReplicas: newSet?.status?.replicas ?? 0,
      readyReplicas: sum(all, ({ status }) => status?.readyReplicas),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, replicas - available),
    }),
    terminatingReplicas: sum(all, ({ status }) => status?.terminatingReplicas),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    conditions: withCondition(conditions, isAvailable ? minimumAvailable : minimumUnavailable, now),
  };
}

const minimumAvailable: ConditionText = {
  type: "Available",
  status: "True",
  reason: "MinimumReplicasAvailable",
  message: "Deployment has minimum availability.",
};
const minimumUnavailable: ConditionText = {
  type: "Available",
  status: "False",
  reason: "MinimumReplicasUnavailable",
  message: "Deployment does not have minimum availability.",
};

/** Counts of zero are left out, as the server would. */
function positive(counts: Readonly<Record<string, number>>): Partial<DeploymentStatus> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
}

/** The list with this condition, unless it says the same already. */
export function withCondition(
  conditions: readonly DeploymentCondition[] | undefined,
  text: ConditionText,
  now: number,
): readonly DeploymentCondition[] {
  const known = findCondition(conditions, text.type);
  if (known?.status === text.status && known.reason === text.reason) return conditions ?? [];
  return replaceCondition(conditions, text, now);
}

/** The list with this condition, as of now. */
export function replaceCondition(
  conditions: readonly DeploymentCondition[] | undefined,
  text: ConditionText,
  now: number,
): readonly DeploymentCondition[] {
  const known = findCondition(conditions, text.type);
  const time = formatTime(now);
  const since = known?.status === text.status ? known.lastTransitionTime : time;
  const others = (conditions ?? []).filter(({ type }) => type !== text.type);
  return [...others, { ...text, lastUpdateTime: time, lastTransitionTime: since }];
}

/** Whether all pods are of the newest template and available. */
export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const wanted = replicasOf(deployment);
  return (
    (status.updatedReplicas ?? 0) === wanted &&
    (status.replicas ?? 0) === wanted &&
    (status.availableReplicas ?? 0) === wanted &&
    (status.observedGeneration ?? 0) >= (deployment.metadata?.generation ?? 0)
  );
}

/** Whether anything got better since the status was last written. */
export function isProgressing({ status: before }: Deployment, status: DeploymentStatus): boolean {
  const old = (of: DeploymentStatus | undefined): number => (of?.replicas ?? 0) - (of?.updatedReplicas ?? 0);
  return (
    (status.updatedReplicas ?? 0) > (before?.updatedReplicas ?? 0) ||
    old(status) < old(before) ||
    (status.readyReplicas ?? 0) > (before?.readyReplicas ?? 0) ||
    (status.availableReplicas ?? 0) > (before?.availableReplicas ?? 0)
  );
}
