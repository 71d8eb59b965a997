// The progress of a Job: succeeded, failed and active pods and indexes.
import { findCondition, type Job, type Pod } from "@kubewright/api";
import { isActive, isFinished, isReady } from "../../workload/pod-state.js";
import { parseIndexes } from "./indexes.js";
import {
  endOf,
  failuresOf,
  hasFailed,
  ignoredFailuresOf,
  indexOf,
  isIndexed,
  isLimitedPerIndex,
  isTracked,
} from "./job-pods.js";
import { judgeFailure } from "./pod-failure-policy.js";

export interface JobProgress {
  readonly pods: readonly Pod[];
  readonly active: readonly Pod[];
  readonly ready: number;
  /** On their way out, and not ended yet. */
  readonly terminating: readonly Pod[];
  /** With those that have ended and are not in the status yet. */
  readonly succeeded: number;
  readonly failed: number;
  /** Of indexed Jobs. */
  readonly completedIndexes: ReadonlySet<number>;
  /** The failed indexes, of indexed Jobs with backoffLimitPerIndex. */
  readonly failedIndexes: ReadonlySet<number> | undefined;
  /** Failed pods that keep their finalizer until the next pod of their index has taken over their count of failures. */
  readonly heldBack: ReadonlyMap<number, Pod>;
}

export const isOver = ({ status }: Job): boolean =>
  ["Complete", "Failed"].some((type) => findCondition(status?.conditions, type)?.status === "True");

/** Counts pods. Those in the status are counted there, or stand in its list of uncounted ones until their finalizer is removed. */
export function jobProgress(job: Job, pods: readonly Pod[], now: number): JobProgress {
  const { status } = job;
  const { succeeded = [], failed = [] } = status?.uncountedTerminatedPods ?? {};
  const known = new Set([...succeeded, ...failed]);
  const fresh = pods.filter(
    (pod) => isTracked(pod) && !known.has(pod.metadata?.uid ?? "") && isValidIndex(job, pod),
  );
  const active = pods.filter(isActive);
  const completedIndexes = completedOf(job, pods);
  const failedIndexes = failedOf(job, pods);
  const newlySucceeded = fresh.filter((pod) => pod.status?.phase === "Succeeded").length;
  const newlyFailed = fresh.filter((pod) => hasFailed(job, pod) && counts(job, pod)).length;
  return {
    pods,
    active,
    ready: active.filter(isReady).length,
    terminating: pods.filter((pod) => pod.metadata?.deletionTimestamp !== undefined && !isFinished(pod)),
    succeeded: isIndexed(job)
      ? completedIndexes.size
      : (status?.succeeded ?? 0) + succeeded.length + newlySucceeded,
    failed: (status?.failed ?? 0) + failed.length + newlyFailed,
    completedIndexes,
    failedIndexes,
    heldBack: isLimitedPerIndex(job)
      ? heldBackOf(job, pods, active, new Set([...completedIndexes, ...(failedIndexes ?? [])]), now)
      : new Map(),
  };
}

export const counts = (job: Job, pod: Pod): boolean => judgeFailure(job, pod).action !== "Ignore";

/** Whether the pod works on an index the Job has; always so without indexes. */
export function isValidIndex(job: Job, pod: Pod): boolean {
  const index = indexOf(pod);
  return !isIndexed(job) || (index !== undefined && index < (job.spec?.completions ?? 0));
}

function completedOf(job: Job, pods: readonly Pod[]): ReadonlySet<number> {
  const completed = parseIndexes(job.status?.completedIndexes);
  for (const index of completed) if (index >= (job.spec?.completions ?? 0)) completed.delete(index);
  if (!isIndexed(job)) return completed;
  for (const pod of pods) {
    const index = indexOf(pod);
    if (index !== undefined && pod.status?.phase === "Succeeded" && isTracked(pod) && isValidIndex(job, pod))
      completed.add(index);
  }
  return completed;
}

function failedOf(job: Job, pods: readonly Pod[]): ReadonlySet<number> | undefined {
  const { backoffLimitPerIndex: limit } = job.spec ?? {};
  if (limit === undefined || !isIndexed(job)) return undefined;
  const given = parseIndexes(job.status?.failedIndexes);
  for (const pod of pods) {
    const index = indexOf(pod);
    if (index === undefined || !isTracked(pod) || !isValidIndex(job, pod) || !hasFailed(job, pod)) continue;
    const { action } = judgeFailure(job, pod);
    if (action === "FailIndex" || (action !== "Ignore" && failuresOf(pod) >= limit)) given.add(index);
  }
  return given;
}

function heldBackOf(
  job: Job,
  pods: readonly Pod[],
  active: readonly Pod[],
  settled: ReadonlySet<number>,
  now: number,
): ReadonlyMap<number, Pod> {
  const busy = new Set(active.map(indexOf));
  const held = new Map<number, Pod>();
  for (const pod of pods) {
    const index = indexOf(pod);
    if (index === undefined || busy.has(index) || settled.has(index)) continue;
    if (!isTracked(pod) || !isValidIndex(job, pod) || !hasFailed(job, pod)) continue;
    const other = held.get(index);
    if (!other || isLater(pod, other, now)) held.set(index, pod);
  }
  return held;
}

const tries = (pod: Pod): number => failuresOf(pod) + ignoredFailuresOf(pod);
const isLater = (a: Pod, b: Pod, now: number): boolean =>
  tries(a) >= tries(b) && endOf(a, now) >= endOf(b, now);
