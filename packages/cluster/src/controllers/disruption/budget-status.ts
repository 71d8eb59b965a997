// How many pods of a PodDisruptionBudget may go.
import {
  findCondition,
  formatTime,
  type PodDisruptionBudget,
  type PodDisruptionBudgetStatus,
  scaleIntOrPercent,
} from "@kubewright/api";

export interface BudgetCounts {
  readonly pods: number;
  readonly healthy: number;
  /** As many as the owners of the pods ask for. */
  readonly wanted: number;
}

/** The status of a budget, given what is there. */
export function budgetStatus(
  budget: PodDisruptionBudget,
  { pods, healthy, wanted }: BudgetCounts,
  now: number,
): PodDisruptionBudgetStatus {
  const { minAvailable, maxUnavailable } = budget.spec ?? {};
  const isCounted = maxUnavailable !== undefined || typeof minAvailable === "string";
  const expectedPods = isCounted ? wanted : pods;
  const desiredHealthy =
    maxUnavailable !== undefined
      ? Math.max(0, expectedPods - scaleIntOrPercent(maxUnavailable, expectedPods, "up"))
      : scaleIntOrPercent(minAvailable ?? 0, expectedPods, "up");
  const allowed = expectedPods <= 0 ? 0 : Math.max(0, healthy - desiredHealthy);
  return {
    ...budget.status,
    observedGeneration: budget.metadata?.generation,
    currentHealthy: healthy,
    desiredHealthy,
    expectedPods,
    disruptionsAllowed: allowed,
    conditions: conditions(budget, allowed, now),
  };
}

function conditions(
  budget: PodDisruptionBudget,
  allowed: number,
  now: number,
): PodDisruptionBudgetStatus["conditions"] {
  const type = "DisruptionAllowed";
  const before = budget.status?.conditions ?? [];
  const known = findCondition(before, type);
  const status = allowed > 0 ? "True" : "False";
  const condition = {
    type,
    status,
    observedGeneration: budget.metadata?.generation,
    lastTransitionTime: known?.status === status ? known.lastTransitionTime : formatTime(now),
    reason: allowed > 0 ? "SufficientPods" : "InsufficientPods",
    message: "",
  };
  return [...before.filter((one) => one.type !== type), condition];
}
