// Defaults of Jobs.
import type { CronJob, Draft, Job, JobSpec } from "@kubewright/api";
import type { DraftObject } from "../objects.js";
import { draftAs } from "../objects.js";
import { defaultPodTemplate } from "../pod/default-pod-spec.js";

const maxInt32 = 2_147_483_647;

/** Fills in a job. */
export function defaultJob(object: DraftObject): void {
  const { spec } = draftAs<Job>(object);
  if (!spec) return;
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : maxInt32;
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.manualSelector ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? "Failed" : "TerminatingOrFailed";
  defaultJobTemplate(spec);
  const labels = spec.template.metadata?.labels;
  // The very same labels: what the server adds to those of the template is then a label of the job too.
  if (labels && Object.keys(object.metadata.labels ?? {}).length === 0) object.metadata.labels = labels;
}

/** Fills in a cron job; the jobs made from it are filled in when they are made. */
export function defaultCronJob(object: DraftObject): void {
  const { spec } = draftAs<CronJob>(object);
  if (!spec) return;
  spec.concurrencyPolicy ||= "Allow";
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
  if (spec.jobTemplate?.spec) defaultJobTemplate(spec.jobTemplate.spec);
}

function defaultJobTemplate(spec: Draft<JobSpec>): void {
  defaultPodTemplate(spec.template);
  for (const { onPodConditions } of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of onPodConditions ?? []) pattern.status ||= "True";
  }
}
