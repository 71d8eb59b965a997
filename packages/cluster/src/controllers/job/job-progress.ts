// Where a Job stands: what its pods came to, whether it is over, and what it still needs.
import { findCondition, type Job, type Pod } from "@kubewright/api";
import { isFinished, isReady } from "../../workload/pod-facts.js";
import { indexOf, isIndexed, parseIndexes, trackingFinalizer } from "./job-pods.js";

export interface JobProgress {
  readonly active: readonly Pod[];
  readonly ready: number;
  readonly terminating: number;
  /** Ended, and not counted yet. */
  readonly newlySucceeded: readonly Pod[];
  readonly newlyFailed: readonly Pod[];
  readonly succeeded: number;
  readonly failed: number;
  /** Of indexed Jobs. */
  readonly completedIndexes: ReadonlySet<number>;
}

/** How a Job ended, or is about to. */
export interface Verdict {
  readonly type: "Complete" | "Failed";
  readonly reason: string;
  readonly message: string;
}

export const isOver = ({ status }: Job): boolean =>
  ["Complete", "Failed"].some((type) => findCondition(status?.conditions, type)?.status === "True");

/** Counts pods; those already counted have lost the finalizer, or are about to. */
export function jobProgress(job: Job, pods: readonly Pod[], counted: ReadonlySet<string>): JobProgress {
  const uncounted = pods.filter(
    ({ metadata }) => metadata?.finalizers?.includes(trackingFinalizer) && !counted.has(metadata.uid ?? ""),
  );
  const hasSucceeded = ({ status }: Pod): boolean => status?.phase === "Succeeded";
  // A pod that is deleted before it ended has failed.
  const hasFailed = (pod: Pod): boolean =>
    pod.status?.phase === "Failed" ||
    (pod.metadata?.deletionTimestamp !== undefined && !isFinished(pod) && !pod.spec?.nodeName);
  const completedIndexes = parseIndexes(job.status?.completedIndexes);
  const newlySucceeded = uncounted.filter(hasSucceeded);
  const newlyFailed = uncounted.filter(hasFailed);
  for (const pod of newlySucceeded) {
    const index = indexOf(pod);
    if (index !== undefined && index < (job.spec?.completions ?? 0)) completedIndexes.add(index);
  }
  const living = pods.filter((pod) => !isFinished(pod) && !newlyFailed.includes(pod));
  const active = living.filter(({ metadata }) => !metadata?.deletionTimestamp);
  return {
    active,
    ready: active.filter(isReady).length,
    terminating: living.length - active.length,
    newlySucceeded,
    newlyFailed,
    succeeded: isIndexed(job) ? completedIndexes.size : (job.status?.succeeded ?? 0) + newlySucceeded.length,
    failed: (job.status?.failed ?? 0) + newlyFailed.length,
    completedIndexes,
  };
}

/** Whether the Job is over. */
export function verdictOf(job: Job, progress: JobProgress, now: number): Verdict | undefined {
  const { backoffLimit = 6, activeDeadlineSeconds, completions, parallelism = 1 } = job.spec ?? {};
  const restarts = job.spec?.template.spec?.restartPolicy === "OnFailure" ? restartsOf(progress.active) : 0;
  if (progress.failed + restarts > backoffLimit)
    return {
      type: "Failed",
      reason: "BackoffLimitExceeded",
      message: "Job has reached the specified backoff limit",
    };
  const started = Date.parse(job.status?.startTime ?? "");
  if (
    activeDeadlineSeconds !== undefined &&
    !job.spec?.suspend &&
    started + activeDeadlineSeconds * 1000 <= now
  )
    return {
      type: "Failed",
      reason: "DeadlineExceeded",
      message: "Job was active longer than specified deadline",
    };
  const isComplete =
    completions === undefined
      ? progress.succeeded > 0 && progress.active.length === 0
      : progress.succeeded >= completions && (completions > 0 || parallelism >= 0);
  return isComplete
    ? { type: "Complete", reason: "CompletionsReached", message: "Reached expected number of succeeded pods" }
    : undefined;
}

function restartsOf(pods: readonly Pod[]): number {
  return pods
    .flatMap(({ status }) => [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
}

/** How many pods should be active. */
export function wantedActive(job: Job, { succeeded, active }: JobProgress): number {
  const { parallelism = 1, completions, suspend } = job.spec ?? {};
  if (suspend) return 0;
  // Without a number of completions, the first success ends it: nobody is added, and those at work may finish.
  if (completions === undefined) return succeeded > 0 ? Math.min(active.length, parallelism) : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded));
}

/** The smallest indexes nobody works on. */
export function freeIndexes(
  job: Job,
  { completedIndexes, active }: JobProgress,
  count: number,
): readonly number[] {
  const taken = new Set([...completedIndexes, ...active.map(indexOf)]);
  const free: number[] = [];
  for (let index = 0; index < (job.spec?.completions ?? 0) && free.length < count; index++)
    if (!taken.has(index)) free.push(index);
  return free;
}
