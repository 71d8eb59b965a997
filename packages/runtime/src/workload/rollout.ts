// The state of a Deployment as its owner reports it: the counts, and the conditions Available, Progressing and Degraded.
import type { Condition, ConditionUpdate, Deployment, Pod } from "@kubewright/api";
import type { Problem } from "./failure.js";
import { worstProblem } from "./pod-problem.js";

/** The counts of a Deployment's status; what it leaves out is 0. */
export interface DeploymentCounts {
  readonly replicas: number;
  readonly updatedReplicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
  readonly unavailableReplicas: number;
}

/** The replica counts in the status of a Deployment, 0 where they are missing. */
export function deploymentCounts({ status }: Pick<Deployment, "status">): DeploymentCounts {
  return {
    replicas: status?.replicas ?? 0,
    updatedReplicas: status?.updatedReplicas ?? 0,
    readyReplicas: status?.readyReplicas ?? 0,
    availableReplicas: status?.availableReplicas ?? 0,
    unavailableReplicas: status?.unavailableReplicas ?? 0,
  };
}

/** True when its controller has done all that its spec asks for. */
export function deploymentIsSettled(deployment: Deployment): boolean {
  const { replicas, updatedReplicas, availableReplicas } = deploymentCounts(deployment);
  const wanted = deployment.spec?.replicas ?? 1;
  return isObserved(deployment) && [replicas, updatedReplicas, availableReplicas].every((n) => n === wanted);
}

/** True when its status is about the spec as it is now. */
export function isObserved({ metadata, status }: Deployment): boolean {
  return (status?.observedGeneration ?? 0) >= (metadata?.generation ?? 0);
}

/** The three conditions of a rollout. */
export type RolloutConditions = readonly [
  available: ConditionUpdate,
  progressing: ConditionUpdate,
  degraded: ConditionUpdate,
];

/** The conditions of an object whose work the Deployment does, with reasons from its pods. */
export function rolloutConditions(deployment: Deployment, pods: readonly Pod[]): RolloutConditions {
  const settled = deploymentIsSettled(deployment);
  const problem = settled
    ? undefined
    : (failureOf(deployment) ?? worstProblem(pods) ?? deadlineOf(deployment));
  return [
    availability(deployment, problem),
    settled
      ? { type: "Progressing", status: "False", reason: "RolledOut", message: "all pods are up to date" }
      : progress(deployment),
    degradation(problem),
  ];
}

/**
 * Mirrors the Deployment's own condition. It is not asked whether that is about the latest spec: the pods that were available
 * before a change are still there until they are replaced.
 */
export function availability(
  deployment: Deployment | undefined,
  problem: Problem | undefined,
): ConditionUpdate {
  const type = "Available";
  if (deployment && conditionOf(deployment, type)?.status === "True")
    return { type, status: "True", reason: "EnoughPods", message: "enough pods are ready" };
  const { reason, message } = problem ?? { reason: "TooFewPods", message: "too few pods are ready" };
  return { type, status: "False", reason, message };
}

export function degradation(problem: Problem | undefined): ConditionUpdate {
  const type = "Degraded";
  return problem
    ? { type, status: "True", ...problem }
    : { type, status: "False", reason: "AsExpected", message: "" };
}

/** As the Deployment reports it: what has missed its deadline is not progressing. */
function progress(deployment: Deployment): ConditionUpdate {
  const type = "Progressing";
  const missed = deadlineOf(deployment);
  return missed
    ? { type, status: "False", ...missed }
    : { type, status: "True", reason: "RollingOut", message: "waiting for its pods" };
}

/** The failure that the Deployment reports. */
function failureOf(deployment: Deployment): Problem | undefined {
  const failure = conditionOf(deployment, "ReplicaFailure");
  if (failure?.status !== "True") return undefined;
  const isQuota = failure.message.includes("exceeded quota");
  return { reason: isQuota ? "QuotaExceeded" : "PodsNotCreated", message: failure.message };
}

/** Its pods did not become available in `progressDeadlineSeconds`. */
function deadlineOf(deployment: Deployment): Problem | undefined {
  const progressing = conditionOf(deployment, "Progressing");
  if (!isObserved(deployment) || progressing?.status !== "False") return undefined;
  if (progressing.reason !== "ProgressDeadlineExceeded") return undefined;
  return { reason: progressing.reason, message: progressing.message };
}

function conditionOf(
  { status }: Deployment,
  type: string,
): Pick<Condition, "status" | "reason" | "message"> | undefined {
  const found = status?.conditions?.find((condition) => condition.type === type);
  if (!found) return undefined;
  const { status: is, reason = "", message = "" } = found;
  return { status: is as Condition["status"], reason, message };
}
