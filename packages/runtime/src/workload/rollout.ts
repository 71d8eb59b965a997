// What to say of an object whose work a Deployment does: its counts, and the conditions Available, Progressing and Degraded.
import {
  type Condition,
  type ConditionUpdate,
  type Deployment,
  isConditionTrue,
  type Pod,
} from "@kubewright/api";
import type { StatusOptions } from "../controller/reconcile-context.js";
import { type PodProblem, worstProblem } from "./pod-problem.js";

/** The counts of a Deployment as they are read off its status; what it leaves out is 0. */
export interface DeploymentCounts {
  readonly replicas: number;
  readonly updatedReplicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
  readonly unavailableReplicas: number;
}

export function deploymentCounts({ status }: Deployment): DeploymentCounts {
  return {
    replicas: status?.replicas ?? 0,
    updatedReplicas: status?.updatedReplicas ?? 0,
    readyReplicas: status?.readyReplicas ?? 0,
    availableReplicas: status?.availableReplicas ?? 0,
    unavailableReplicas: status?.unavailableReplicas ?? 0,
  };
}

/** What to say of a rollout, and how. */
export interface RolloutReport {
  readonly status: DeploymentCounts & {
    /** Pods that are ready, of those wanted: `2/3`. */
    readonly ready: string;
    readonly conditions: readonly ConditionUpdate[];
  };
  readonly options: StatusOptions;
}

/** Counts that move while a rollout is under way are written a few at a time, what is settled or wrong at once. */
const patience = 5_000;

/**
 * What a Deployment and its pods say of the object they belong to.
 *
 * @example
 * const { status, options } = rolloutReport(deployment, pods);
 * ctx.status(status, options);
 */
export function rolloutReport(deployment: Deployment, pods: readonly Pod[]): RolloutReport {
  const counts = deploymentCounts(deployment);
  const conditions = rolloutConditions(deployment, pods);
  const isUrgent = deploymentIsSettled(deployment) || isConditionTrue(conditions, "Degraded");
  return {
    status: { ...counts, ready: `${counts.readyReplicas}/${deployment.spec?.replicas ?? 1}`, conditions },
    options: { patience: isUrgent ? 0 : patience },
  };
}

/** True when its controller has done all that its spec asks for. */
export function deploymentIsSettled(deployment: Deployment): boolean {
  const { replicas, updatedReplicas, availableReplicas } = deploymentCounts(deployment);
  const wanted = deployment.spec?.replicas ?? 1;
  return isObserved(deployment) && [replicas, updatedReplicas, availableReplicas].every((n) => n === wanted);
}

/** The three conditions, with reasons from its pods. */
export function rolloutConditions(
  deployment: Deployment,
  pods: readonly Pod[],
): readonly [available: ConditionUpdate, progressing: ConditionUpdate, degraded: ConditionUpdate] {
  const settled = deploymentIsSettled(deployment);
  const problem = settled ? undefined : (failureOf(deployment) ?? worstProblem(pods));
  return [
    availability(deployment, problem),
    settled
      ? { type: "Progressing", status: "False", reason: "RolledOut", message: "all pods are up to date" }
      : { type: "Progressing", status: "True", reason: "RollingOut", message: "waiting for its pods" },
    problem
      ? { type: "Degraded", status: "True", ...problem }
      : { type: "Degraded", status: "False", reason: "AsExpected", message: "" },
  ];
}

function availability(deployment: Deployment, problem: PodProblem | undefined): ConditionUpdate {
  const type = "Available";
  const condition = conditionOf(deployment, type);
  if (isObserved(deployment) && condition?.status === "True")
    return { type, status: "True", reason: "EnoughPods", message: "enough pods are ready" };
  return {
    type,
    status: "False",
    reason: problem?.reason ?? "TooFewPods",
    message: problem?.message ?? "too few pods are ready",
  };
}

/** What the Deployment itself says it cannot do. */
function failureOf(deployment: Deployment): PodProblem | undefined {
  const failure = conditionOf(deployment, "ReplicaFailure");
  if (failure?.status === "True") {
    const isQuota = failure.message?.includes("exceeded quota") ?? false;
    return { reason: isQuota ? "QuotaExceeded" : "PodsNotCreated", message: failure.message ?? "" };
  }
  return undefined;
}

function conditionOf(
  { status }: Deployment,
  type: string,
): Pick<Condition, "status" | "message"> | undefined {
  const found = status?.conditions?.find((condition) => condition.type === type);
  return found && { status: found.status as Condition["status"], message: found.message ?? "" };
}

/** Its status is about the spec as it is now. */
function isObserved({ metadata, status }: Deployment): boolean {
  return (status?.observedGeneration ?? 0) >= (metadata?.generation ?? 0);
}
