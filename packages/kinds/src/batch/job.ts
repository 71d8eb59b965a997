// Jobs.
import type { Draft, Job, JobSpec } from "@kubewright/api";
import { isNewGeneration, nameWarnings, templateWarnings } from "../apps/workload-warnings.js";
import type { BuiltInKind } from "../built-in-kind.js";
import type { DraftObject, StoredObject } from "../objects.js";
import { draftAs, storedAs } from "../objects.js";
import { defaultJob } from "./default-job.js";
import {
  controllerUidLabel,
  jobNameLabel,
  legacyControllerUidLabel,
  legacyJobNameLabel,
} from "./job-labels.js";
import { validateJob, validateJobUpdate } from "./validate-job.js";
import { validateJobStatus } from "./validate-job-status.js";

/** A job whose selector is not its author's gets one that no other job has. */
function generateSelector(object: DraftObject): void {
  const job = draftAs<Job>(object);
  const { spec } = job;
  if (!spec || spec.manualSelector) return;
  spec.template ??= {};
  spec.template.metadata ??= {};
  const { uid = "", name = "" } = object.metadata;
  const own = {
    [legacyJobNameLabel]: name,
    [jobNameLabel]: name,
    [legacyControllerUidLabel]: uid,
    [controllerUidLabel]: uid,
  };
  const before = spec.template.metadata.labels;
  const isInherited = before !== undefined && before === object.metadata.labels;
  const labels = { ...own, ...before };
  spec.template.metadata.labels = labels;
  if (isInherited) object.metadata.labels = { ...labels };
  spec.selector ??= {};
  selectOwn(spec, uid);
}

function selectOwn({ selector }: Draft<JobSpec>, uid: string): void {
  if (selector) selector.matchLabels = { [controllerUidLabel]: uid, ...selector.matchLabels };
}

/** A job without labels has those of its template. */
function inheritLabels(object: DraftObject): boolean {
  const { labels } = draftAs<Job>(object).spec?.template?.metadata ?? {};
  if (!labels || Object.keys(object.metadata.labels ?? {}).length > 0) return false;
  object.metadata.labels = { ...labels };
  return true;
}

/** Warnings about a job's spec at a field. */
export function jobSpecWarnings(spec: JobSpec | undefined, field: string): string[] {
  const { completionMode, completions = 0, parallelism = 0, template } = spec ?? {};
  const tooMany = completionMode === "Indexed" && completions > 100_000 && parallelism > 10_000;
  const text =
    "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail";
  return [...(tooMany ? [`${field}: ${text}`] : []), ...templateWarnings(template, `${field}.template`)];
}

function warnings(object: DraftObject, old: StoredObject | undefined): string[] {
  const spec = jobSpecWarnings(draftAs<Job>(object).spec, "spec");
  if (!old) return [...nameWarnings(object.metadata), ...spec];
  return isNewGeneration(object, old) ? spec : [];
}

/** Jobs. */
export const jobs: BuiltInKind = {
  resource: "jobs.batch",
  strategy: {
    applyDefaults: defaultJob,
    prepareForCreate: generateSelector,
    completeAsRead: inheritLabels,
    validateCreate: (object) => validateJob(draftAs<Job>(object), true),
    validateUpdate: (object, old) => validateJobUpdate(draftAs<Job>(object), storedAs<Job>(old)),
    metadata: { onUpdate: ["update", "object"] },
    warnings,
    defaultPropagation: "Orphan",
    defaultPropagationWarning:
      "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
    selectableFields: ["status.successful"],
    unknownFieldText: (field) => `field label "${field}" not supported for Job`,
    selectableField: (object) => String(storedAs<Job>(object).status?.succeeded ?? 0),
  },
  status: {
    validateUpdate: (object, old) => validateJobStatus(draftAs<Job>(object), storedAs<Job>(old)),
  },
};
