// The status of a PodDisruptionBudget: healthy pods and allowed disruptions.
import {
  findCondition,
  formatTime,
  type Pod,
  type PodDisruptionBudget,
  type PodDisruptionBudgetStatus,
  scaleIntOrPercent,
} from "@kubewright/api";
import { isReady } from "../../workload/pod-state.js";

/** An eviction that was granted must have led to a deletion by then, in milliseconds. */
const deletionTimeout = 120_000;

type DisruptedPods = NonNullable<PodDisruptionBudgetStatus["disruptedPods"]>;

/** Whether the budget is reckoned from what the owners of the pods ask for, rather than from the pods that are there. */
export function needsScale({ spec }: PodDisruptionBudget): boolean {
  return spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === "string";
}

export interface PendingDisruptions {
  /** Pods whose eviction was granted and that are still there. */
  readonly disruptedPods: DisruptedPods;
  /** Pods that should be gone by now. */
  readonly overdue: readonly Pod[];
  /** Milliseconds until the next one should be gone. */
  readonly recheck: number | undefined;
}

/** The outcomes of evictions that were granted. */
export function pendingDisruptions(
  { status }: PodDisruptionBudget,
  pods: readonly Pod[],
  now: number,
): PendingDisruptions {
  const disruptedPods: Record<string, string> = {};
  const overdue: Pod[] = [];
  const waits: number[] = [];
  for (const pod of pods) {
    const { name = "", deletionTimestamp } = pod.metadata ?? {};
    const since = deletionTimestamp ? undefined : status?.disruptedPods?.[name];
    if (since === undefined) continue;
    const left = Date.parse(since) + deletionTimeout - now;
    if (left < 0) overdue.push(pod);
    else {
      disruptedPods[name] = since;
      waits.push(left + 1);
    }
  }
  return { disruptedPods, overdue, recheck: waits.length > 0 ? Math.min(...waits) : undefined };
}

/** Pods that are ready and expected to stay. */
export function countHealthy(pods: readonly Pod[], disrupted: DisruptedPods): number {
  return pods.filter(
    (pod) =>
      !pod.metadata?.deletionTimestamp && !Object.hasOwn(disrupted, pod.metadata?.name ?? "") && isReady(pod),
  ).length;
}

export interface BudgetCounts {
  readonly healthy: number;
  /** As many as there are, or as their owners ask for. */
  readonly expected: number;
  readonly disruptedPods: DisruptedPods;
}

/** The status of a budget, given what is there. */
export function budgetStatus(
  budget: PodDisruptionBudget,
  { healthy, expected, disruptedPods }: BudgetCounts,
  now: number,
): PodDisruptionBudgetStatus {
  const { minAvailable, maxUnavailable } = budget.spec ?? {};
  const desiredHealthy =
    maxUnavailable !== undefined
      ? Math.max(0, expected - scaleIntOrPercent(maxUnavailable, expected, "up"))
      : scaleIntOrPercent(minAvailable ?? 0, expected, "up");
  const allowed = expected <= 0 ? 0 : Math.max(0, healthy - desiredHealthy);
  return {
    observedGeneration: budget.metadata?.generation,
    currentHealthy: healthy,
    desiredHealthy,
    expectedPods: expected,
    disruptionsAllowed: allowed,
    ...(Object.keys(disruptedPods).length > 0 ? { disruptedPods } : {}),
    conditions: withAllowed(
      budget,
      allowed > 0,
      allowed > 0 ? "SufficientPods" : "InsufficientPods",
      "",
      now,
    ),
  };
}

/** The status when the expected number of pods is not known: then no disruption is allowed. */
export function failedStatus(
  budget: PodDisruptionBudget,
  message: string,
  now: number,
): PodDisruptionBudgetStatus {
  const none = { currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
  return {
    ...none,
    ...budget.status,
    disruptionsAllowed: 0,
    conditions: withAllowed(budget, false, "SyncFailed", message, now),
  };
}

function withAllowed(
  budget: PodDisruptionBudget,
  isAllowed: boolean,
  reason: string,
  message: string,
  now: number,
): PodDisruptionBudgetStatus["conditions"] {
  const type = "DisruptionAllowed";
  const before = budget.status?.conditions ?? [];
  const known = findCondition(before, type);
  const status = isAllowed ? "True" : "False";
  const condition = {
    type,
    status,
    observedGeneration: budget.metadata?.generation,
    lastTransitionTime: known?.status === status ? known.lastTransitionTime : formatTime(now),
    reason,
    message,
  };
  return [...before.filter((one) => one.type !== type), condition];
}
