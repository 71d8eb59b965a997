// The Progressing condition of a Deployment, and its progress deadline.
import {
  type Deployment,
  type DeploymentCondition,
  type DeploymentStatus,
  findCondition,
  type ReplicaSet,
} from "@kubewright/api";
import {
  type ConditionText,
  countedStatus,
  isComplete,
  isProgressing,
  replaceCondition,
  withCondition,
} from "./deployment-status.js";

/** A deadline of this many seconds means no deadline. */
const noDeadline = 2_147_483_647;

const hasDeadline = ({ spec }: Deployment): boolean =>
  spec?.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== noDeadline;

/** The Progressing condition with a reason. */
export function progressing(
  reason: string,
  message: string,
  status: "True" | "False" | "Unknown" = "True",
): ConditionText {
  return { type: "Progressing", status, reason, message };
}

/** The whole status of a Deployment that rolls. */
export function rolloutStatus(
  deployment: Deployment,
  newSet: ReplicaSet | undefined,
  all: readonly ReplicaSet[],
  now: number,
): DeploymentStatus {
  const status = countedStatus(deployment, newSet, all, now);
  let conditions = status.conditions ?? [];
  if (!hasDeadline(deployment)) conditions = conditions.filter(({ type }) => type !== "Progressing");
  else conditions = withProgress(deployment, newSet, { ...status, conditions }, now);
  return { ...status, conditions: withFailures(conditions, all, newSet, now) };
}

function withProgress(
  deployment: Deployment,
  newSet: ReplicaSet | undefined,
  status: DeploymentStatus,
  now: number,
): readonly DeploymentCondition[] {
  const { conditions = [] } = status;
  const known = findCondition(conditions, "Progressing");
  const isRolledOut =
    status.replicas === status.updatedReplicas && known?.reason === "NewReplicaSetAvailable";
  if (isRolledOut) return conditions;
  const what = newSet ? `ReplicaSet "${newSet.metadata?.name}"` : `Deployment "${deployment.metadata?.name}"`;
  if (isComplete(deployment, status))
    return withCondition(
      conditions,
      progressing("NewReplicaSetAvailable", `${what} has successfully progressed.`),
      now,
    );
  if (isProgressing(deployment, status))
    return replaceCondition(conditions, progressing("ReplicaSetUpdated", `${what} is progressing.`), now);
  if (isTimedOut(deployment, known, now))
    return withCondition(
      conditions,
      progressing("ProgressDeadlineExceeded", `${what} has timed out progressing.`, "False"),
      now,
    );
  return conditions;
}

function isTimedOut(deployment: Deployment, known: DeploymentCondition | undefined, now: number): boolean {
  if (!known || known.reason === "NewReplicaSetAvailable") return false;
  return known.reason === "ProgressDeadlineExceeded" || (deadline(deployment, known) ?? Infinity) <= now;
}

function deadline({ spec }: Deployment, known: DeploymentCondition): number | undefined {
  const from = Date.parse(known.lastUpdateTime ?? "");
  return Number.isNaN(from) ? undefined : from + (spec?.progressDeadlineSeconds ?? 0) * 1000;
}

/** How many milliseconds until the rollout must have moved; undefined when nothing is expected of it. */
export function untilDeadline(
  deployment: Deployment,
  status: DeploymentStatus,
  now: number,
): number | undefined {
  const known = findCondition(status.conditions, "Progressing");
  if (!known || !hasDeadline(deployment) || isComplete(deployment, status)) return undefined;
  if (known.reason === "ProgressDeadlineExceeded" || known.reason === "DeploymentPaused") return undefined;
  const at = deadline(deployment, known);
  return at === undefined ? undefined : Math.max(0, at - now) + 1000;
}

/** A set that cannot make pods says so in the Deployment too. */
function withFailures(
  conditions: readonly DeploymentCondition[],
  all: readonly ReplicaSet[],
  newSet: ReplicaSet | undefined,
  now: number,
): readonly DeploymentCondition[] {
  const sets = newSet ? [newSet, ...all] : all;
  const failure = sets.map(({ status }) => findCondition(status?.conditions, "ReplicaFailure")).find(Boolean);
  if (!failure) return conditions.filter(({ type }) => type !== "ReplicaFailure");
  const { reason = "", message = "" } = failure;
  const status = failure.status === "True" ? "True" : "False";
  return withCondition(conditions, { type: "ReplicaFailure", status, reason, message }, now);
}
