// The terminal condition of a Job: complete or failed, with the reason.
import { findCondition, type Job, type Pod } from "@kubewright/api";
import { hasFailed } from "./job-pods.js";
import type { JobProgress } from "./job-progress.js";
import { judgeFailure } from "./pod-failure-policy.js";
import { metSuccessRule } from "./success-policy.js";

/** How a Job ended, or is about to. */
export interface FinishedCondition {
  readonly type: "Complete" | "Failed";
  readonly reason: string;
  readonly message: string;
}

const failure = (reason: string, message: string): FinishedCondition => ({ type: "Failed", reason, message });

/** What ends the Job whatever its pods are doing; a condition once announced stands. */
export function finishedCondition(
  job: Job,
  progress: JobProgress,
  now: number,
): FinishedCondition | undefined {
  return (
    announced(job) ?? failJobRule(job, progress) ?? limits(job, progress, now) ?? ofIndexes(job, progress)
  );
}

/** Whether enough pods have succeeded, given how many are still active. */
export function completion({ spec }: Job, succeeded: number, active: number): FinishedCondition | undefined {
  if (active > 0 || (spec?.completions === undefined ? succeeded === 0 : succeeded < spec.completions))
    return undefined;
  return {
    type: "Complete",
    reason: "CompletionsReached",
    message: "Reached expected number of succeeded pods",
  };
}

function announced({ status }: Job): FinishedCondition | undefined {
  for (const [interim, type] of [
    ["SuccessCriteriaMet", "Complete"],
    ["FailureTarget", "Failed"],
  ] as const) {
    const condition = findCondition(status?.conditions, interim);
    if (condition?.status === "True")
      return { type, reason: condition.reason ?? "", message: condition.message ?? "" };
  }
  return undefined;
}

function failJobRule(job: Job, { pods }: JobProgress): FinishedCondition | undefined {
  for (const pod of pods) {
    const message = hasFailed(job, pod) ? judgeFailure(job, pod).message : undefined;
    if (message !== undefined) return failure("PodFailurePolicy", message);
  }
  return undefined;
}

function limits(job: Job, { failed, pods }: JobProgress, now: number): FinishedCondition | undefined {
  const { backoffLimit = 6, activeDeadlineSeconds, suspend, template } = job.spec ?? {};
  const restarts = template?.spec?.restartPolicy === "OnFailure" ? restartsOf(pods) : 0;
  if (failed > backoffLimit || (restarts > 0 && restarts >= backoffLimit))
    return failure("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  const started = Date.parse(job.status?.startTime ?? "");
  if (activeDeadlineSeconds !== undefined && !suspend && started + activeDeadlineSeconds * 1000 <= now)
    return failure("DeadlineExceeded", "Job was active longer than specified deadline");
  return undefined;
}

function ofIndexes(
  job: Job,
  { completedIndexes, failedIndexes }: JobProgress,
): FinishedCondition | undefined {
  const { maxFailedIndexes, completions = 0 } = job.spec ?? {};
  const failed = failedIndexes?.size ?? 0;
  if (maxFailedIndexes !== undefined && failed > maxFailedIndexes)
    return failure(
      "MaxFailedIndexesExceeded",
      "Job has exceeded the specified maximal number of failed indexes",
    );
  if (failed > 0 && failed + completedIndexes.size >= completions)
    return failure("FailedIndexes", "Job has failed indexes");
  const message = metSuccessRule(job, completedIndexes);
  return message === undefined ? undefined : { type: "Complete", reason: "SuccessPolicy", message };
}

function restartsOf(pods: readonly Pod[]): number {
  return pods
    .filter(({ status }) => status?.phase === "Running" || status?.phase === "Pending")
    .flatMap(({ status }) => [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
}
