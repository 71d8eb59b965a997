// The status of a workload, from what became of its parts.
import type { Condition, ConditionUpdate, Deployment, KubeObject, Pod, Service } from "@kubewright/api";
import type { StatusOptions } from "../controller/reconcile-context.js";
import { type Problem, problemOf } from "./failure.js";
import { objectOf, type PartOutcome } from "./part.js";
import {
  availability,
  type DeploymentCounts,
  degradation,
  deploymentCounts,
  deploymentIsSettled,
  isObserved,
  type RolloutConditions,
  rolloutConditions,
} from "./rollout.js";
import { addressOf, nodePortsOf } from "./service.js";

/** The report on an object, whose status must have these fields: see `workloadStatus`. */
export interface WorkloadStatus
  extends Readonly<Partial<Record<keyof DeploymentCounts, number | undefined>>> {
  readonly observedGeneration?: number | undefined;
  /** Pods that are ready, of those wanted: `2/3`. */
  readonly ready?: string | undefined;
  readonly selector?: string | undefined;
  readonly address?: string | undefined;
  readonly nodePorts?: readonly number[] | undefined;
  readonly conditions?: readonly ConditionUpdate[] | undefined;
}

/** An object with its status as it was last written. */
export interface StatusOwner extends KubeObject {
  readonly status?:
    | {
        readonly observedGeneration?: number | undefined;
        readonly conditions?: readonly Condition[] | undefined;
      }
    | undefined;
}

/** The input of the status. */
export interface WorkloadState {
  readonly outcomes: {
    readonly deployment: PartOutcome<Deployment>;
    readonly service?: PartOutcome<Service | undefined> | undefined;
  };
  readonly pods: readonly Pod[];
  /** Errors that somebody must act on. */
  readonly refusals: readonly unknown[];
  /** True when something failed besides, which may pass. */
  readonly hasErrors: boolean;
  readonly problem: Problem | undefined;
}

export interface WorkloadReport {
  readonly status: WorkloadStatus;
  readonly options: StatusOptions;
}

/** The debounce of counts that change during a rollout, so that several changes become one write. */
const countsDelay = 5_000;

export function workloadReport(owner: StatusOwner, state: WorkloadState): WorkloadReport {
  const { service } = state.outcomes;
  const rollout = rolloutOf(state);
  const status = {
    ...rollout?.status,
    ...(service ? endpointOf(objectOf(service)) : {}),
    observedGeneration: isAboutLatest(state) ? owner.metadata?.generation : owner.status?.observedGeneration,
  };
  const isUrgent = rollout === undefined || rollout.isSettled || changes(owner, rollout.conditions);
  return {
    status: rollout ? { ...status, conditions: rollout.conditions } : status,
    options: { debounce: isUrgent ? 0 : countsDelay },
  };
}

interface Rollout {
  readonly status: WorkloadStatus;
  readonly conditions: RolloutConditions;
  readonly isSettled: boolean;
}

/** Undefined when nothing new is known: the Deployment could not be applied for a reason that may pass. */
function rolloutOf(state: WorkloadState): Rollout | undefined {
  const { deployment } = state.outcomes;
  const problem = problemIn(state);
  switch (deployment.state) {
    case "absent":
      return { status: noCounts, conditions: nothingRuns(problem), isSettled: true };
    case "applied":
      return rolledOut(deployment.object, state, problem);
    case "failed":
      return state.refusals.includes(deployment.error) ? refused(deployment, problem) : undefined;
  }
}

function rolledOut(deployment: Deployment, state: WorkloadState, problem: Problem | undefined): Rollout {
  const [available, progressing, degraded] = rolloutConditions(deployment, state.pods);
  return {
    // Counts of an earlier spec are not repeated beside the condition that the latest is rolling out.
    status: isObserved(deployment) ? countsOf(deployment) : {},
    conditions: [
      isServiceMissing(state) ? availability(undefined, problem) : available,
      progressing,
      problem ? degradation(problem) : degraded,
    ],
    isSettled: deploymentIsSettled(deployment),
  };
}

/** The replicas of the last observed rollout, if any; none is known to be up to date with the latest spec. */
function refused(
  { object, error }: { object: Deployment | undefined; error: unknown },
  problem?: Problem,
): Rollout {
  const { reason, message } = problemOf(error);
  return {
    status: { ...countsOf(object ?? {}), updatedReplicas: 0 },
    conditions: [
      availability(object, { reason, message }),
      { type: "Progressing", status: "True", reason, message },
      degradation(problem ?? { reason, message }),
    ],
    isSettled: false,
  };
}

/** The first of the parts that were refused gives the reason, all problems give the message. */
function problemIn({ refusals, problem }: WorkloadState): Problem | undefined {
  const problems = [...refusals.map(problemOf), ...(problem ? [problem] : [])];
  const [first] = problems;
  return first && { reason: first.reason, message: problems.map(({ message }) => message).join("; ") };
}

/** Pods whose Service does not exist cannot be reached. */
function isServiceMissing({ outcomes: { service }, refusals }: WorkloadState): boolean {
  return service?.state === "failed" && service.object === undefined && refusals.includes(service.error);
}

/** True when the status that is reported is about the latest spec of the object. */
function isAboutLatest({ outcomes: { deployment }, hasErrors }: WorkloadState): boolean {
  return !hasErrors && (deployment.state !== "applied" || isObserved(deployment.object));
}

function countsOf(deployment: Pick<Deployment, "spec" | "status">): WorkloadStatus {
  const counts = deploymentCounts(deployment);
  const wanted = deployment.spec?.replicas;
  return { ...counts, ready: wanted === undefined ? undefined : `${counts.readyReplicas}/${wanted}` };
}

function endpointOf(service: Service | undefined): WorkloadStatus {
  if (!service) return { address: undefined, nodePorts: undefined };
  return { address: addressOf(service), nodePorts: nodePortsOf(service) };
}

const noCounts: WorkloadStatus = {
  ready: undefined,
  replicas: undefined,
  updatedReplicas: undefined,
  readyReplicas: undefined,
  availableReplicas: undefined,
  unavailableReplicas: undefined,
};

function nothingRuns(problem: Problem | undefined): RolloutConditions {
  return [
    { type: "Available", status: "True", reason: "NothingToRun", message: "it has no Deployment" },
    { type: "Progressing", status: "False", reason: "NothingToRun", message: "" },
    degradation(problem),
  ];
}

/** True when a condition has another status or reason than was last written. */
function changes({ status }: StatusOwner, conditions: RolloutConditions): boolean {
  return conditions.some(({ type, status: is, reason }) => {
    const before = status?.conditions?.find((condition) => condition.type === type);
    return before?.status !== is || before.reason !== reason;
  });
}
