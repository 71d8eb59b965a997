// The status of a Job.
import { findCondition, formatTime, type Job, type JobCondition, type JobStatus } from "@kubewright/api";
import type { FinishedCondition } from "./finished-condition.js";
import { formatIndexes } from "./indexes.js";
import type { Count } from "./job-count.js";
import { isIndexed } from "./job-pods.js";
import type { JobProgress } from "./job-progress.js";

/** How many pods there are after what was just done. */
export interface PodCounts {
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
}

/** The status with pods that have ended written down, and an end announced, but not declared. */
export function interimStatus(
  job: Job,
  progress: JobProgress,
  pods: PodCounts,
  count: Count,
  finished: FinishedCondition | undefined,
  now: number,
): JobStatus {
  const { succeeded, failed, completionTime } = job.status ?? {};
  const started = startTime(job, finished, now);
  const completed = isIndexed(job) ? progress.completedIndexes.size : (succeeded ?? 0);
  const conditions = interimConditions(job, finished, now);
  return {
    ...(started ? { startTime: started } : {}),
    ...(completionTime ? { completionTime } : {}),
    ...(pods.active > 0 ? { active: pods.active } : {}),
    ready: pods.ready,
    terminating: pods.terminating,
    ...(completed > 0 ? { succeeded: completed } : {}),
    ...(failed ? { failed } : {}),
    ...(isIndexed(job) && progress.completedIndexes.size > 0
      ? { completedIndexes: formatIndexes(progress.completedIndexes) }
      : {}),
    ...(progress.failedIndexes ? { failedIndexes: formatIndexes(progress.failedIndexes) } : {}),
    uncountedTerminatedPods: count.uncounted,
    ...(conditions.length > 0 ? { conditions } : {}),
  };
}

/** The status of a Job that is over: its last pod is gone and counted. */
export function finishedStatus(status: JobStatus, finished: FinishedCondition, now: number): JobStatus {
  const conditions = ensureCondition(status.conditions ?? [], { ...finished, status: "True" }, now);
  return {
    ...status,
    ...(finished.type === "Complete" ? { completionTime: formatTime(now) } : {}),
    conditions,
  };
}

/** Time spent suspended does not count against a deadline: it starts anew. */
function startTime(job: Job, finished: FinishedCondition | undefined, now: number): string | undefined {
  if (job.spec?.suspend) return undefined;
  const isResumed =
    !finished && findCondition(job.status?.conditions, "Suspended")?.status === "True" && !job.spec?.suspend;
  return isResumed ? formatTime(now) : (job.status?.startTime ?? formatTime(now));
}

function interimConditions(
  job: Job,
  finished: FinishedCondition | undefined,
  now: number,
): readonly JobCondition[] {
  const list = job.status?.conditions ?? [];
  if (finished) {
    const type = finished.type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget";
    return findCondition(list, type)?.status === "True"
      ? list
      : ensureCondition(list, { ...finished, type, status: "True" }, now);
  }
  if (job.spec?.suspend)
    return ensureCondition(
      list,
      { type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" },
      now,
    );
  if (!findCondition(list, "Suspended")) return list;
  return ensureCondition(
    list,
    { type: "Suspended", status: "False", reason: "JobResumed", message: "Job resumed" },
    now,
  );
}

function ensureCondition(
  list: readonly JobCondition[],
  text: { readonly type: string; readonly status: string; readonly reason: string; readonly message: string },
  now: number,
): readonly JobCondition[] {
  const known = findCondition(list, text.type);
  if (known?.status === text.status && known.reason === text.reason && known.message === text.message)
    return list;
  const time = formatTime(now);
  const { type, status, reason, message } = text;
  const condition = { type, status, reason, message, lastProbeTime: time, lastTransitionTime: time };
  return known ? list.map((one) => (one === known ? condition : one)) : [...list, condition];
}
