// Compares nodes by the cost of preemption.
import type { PodInfo } from "./state/pod-info.js";

/** A node and who would have to go, the most important first. */
export interface Candidate {
  readonly node: string;
  readonly victims: readonly PodInfo[];
  /** How many of them go against a disruption budget. */
  readonly violations: number;
}

/** Sorts pods: higher priority first, then those that have run longer. */
export function isMoreImportant(a: PodInfo, b: PodInfo): number {
  return b.priority - a.priority || startOf(a) - startOf(b);
}

function startOf({ pod }: PodInfo): number {
  return Date.parse(pod.status?.startTime ?? pod.metadata?.creationTimestamp ?? "") || 0;
}

/** Costs in the order they are compared; lower is better. */
const costs: readonly ((candidate: Candidate) => number)[] = [
  ({ violations }) => violations,
  ({ victims }) => victims[0]?.priority ?? 0,
  // Made positive, so that many pods of negative priority do not look cheap.
  ({ victims }) => victims.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0),
  ({ victims }) => victims.length,
  // Of the most important victims, the one that started first: the later, the better.
  ({ victims }) => -Math.min(...victims.filter((one) => one.priority === victims[0]?.priority).map(startOf)),
];

/** The first of the candidates that no other beats. */
export function cheapest(candidates: readonly Candidate[]): Candidate | undefined {
  let left = candidates;
  for (const cost of costs) {
    if (left.length <= 1) break;
    const lowest = Math.min(...left.map(cost));
    left = left.filter((candidate) => cost(candidate) === lowest);
  }
  return left[0];
}
