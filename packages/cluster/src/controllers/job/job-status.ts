// What a Job says of itself.
import { findCondition, formatTime, type Job, type JobCondition, type JobStatus } from "@kubewright/api";
import { formatIndexes, isIndexed } from "./job-pods.js";
import type { JobProgress, Verdict } from "./job-progress.js";

/** The status after what was just counted and done. */
export function jobStatus(
  job: Job,
  progress: JobProgress,
  active: number,
  verdict: Verdict | undefined,
  now: number,
): JobStatus {
  const isSuspended = job.spec?.suspend === true;
  const { startTime, completionTime } = job.status ?? {};
  const started = isSuspended ? undefined : (startTime ?? formatTime(now));
  const completed = verdict?.type === "Complete" && active === 0 ? formatTime(now) : completionTime;
  return {
    ...(started ? { startTime: started } : {}),
    ...(completed ? { completionTime: completed } : {}),
    ...(active > 0 ? { active } : {}),
    ready: verdict ? 0 : progress.ready,
    terminating: progress.terminating,
    ...(progress.succeeded > 0 ? { succeeded: progress.succeeded } : {}),
    ...(progress.failed > 0 ? { failed: progress.failed } : {}),
    ...(isIndexed(job) && progress.completedIndexes.size > 0
      ? { completedIndexes: formatIndexes(progress.completedIndexes) }
      : {}),
    uncountedTerminatedPods: {},
    ...conditions(job, active, verdict, now),
  };
}

/** First that the end is near, and when no pod is left, that it has come. */
function conditions(
  job: Job,
  active: number,
  verdict: Verdict | undefined,
  now: number,
): { readonly conditions?: readonly JobCondition[] } {
  let list = job.status?.conditions ?? [];
  const set = (type: string, status: string, reason: string, message: string): void => {
    if (findCondition(list, type)?.status === status) return;
    const time = formatTime(now);
    const condition = { type, status, reason, message, lastProbeTime: time, lastTransitionTime: time };
    list = [...list.filter((one) => one.type !== type), condition];
  };
  if (job.spec?.suspend) set("Suspended", "True", "JobSuspended", "Job suspended");
  else if (findCondition(list, "Suspended")) set("Suspended", "False", "JobResumed", "Job resumed");
  if (verdict) {
    const { reason, message } = verdict;
    set(verdict.type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget", "True", reason, message);
    if (active === 0) set(verdict.type, "True", reason, message);
  }
  return list.length > 0 ? { conditions: list } : {};
}
