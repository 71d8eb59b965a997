// Validates the status of a Job. Each rule looks at what changed, so that stored statuses stay valid.
import { deepEqual, type FieldError, fieldError, type Job, type JobStatus } from "@kubewright/api";
import { validateCounts } from "../apps/status-counts.js";
import { checkEach } from "../check-each.js";
import { countIndexes, firstCommonIndex, IndexesError } from "./job-indexes.js";
import { invalidTogether } from "./validate-pod-failure-policy.js";

type Status = Partial<JobStatus>;

const has = ({ conditions }: Status, type: string): boolean =>
  (conditions ?? []).some((condition) => condition.type === type && condition.status === "True");
const isFinished = (status: Status): boolean => has(status, "Complete") || has(status, "Failed");

/** A write to `/status`. */
export function validateJobStatus(job: Job, old: Job): FieldError[] {
  const now: Status = job.status ?? {};
  const before: Status = old.status ?? {};
  return [
    ...validateCounts(now, ["active", "succeeded", "failed", "ready", "terminating"]),
    ...uncountedErrors(now),
    ...conditionErrors(now, before, job),
    ...timeErrors(now, before, job),
    ...finishedErrors(now, before),
    ...indexErrors(now, before, job),
    ...(now.ready !== undefined &&
    now.ready > (now.active ?? 0) &&
    (now.ready !== before.ready || now.active !== before.active)
      ? [fieldError.invalid("status.ready", now.ready, "cannot set more ready pods than active")]
      : []),
    ...counterErrors(now, before, job),
  ];
}

function uncountedErrors({ uncountedTerminatedPods }: Status): FieldError[] {
  const seen = new Set<string>();
  return (["succeeded", "failed"] as const).flatMap((name) =>
    checkEach(uncountedTerminatedPods?.[name] ?? [], (uid, index) => {
      const field = `status.uncountedTerminatedPods.${name}[${index}]`;
      if (uid === "") return [fieldError.invalid(field, uid, "must not be empty")];
      if (seen.has(uid)) return [fieldError.duplicate(field, uid)];
      seen.add(uid);
      return [];
    }),
  );
}

/** Ends are announced before they are declared, exclude each other and are final. */
function conditionErrors(now: Status, before: Status, { spec }: Job): FieldError[] {
  const changed = (...types: string[]): boolean => types.some((type) => has(now, type) !== has(before, type));
  const complete = has(now, "Complete");
  const failed = has(now, "Failed");
  const target = has(now, "FailureTarget");
  const met = has(now, "SuccessCriteriaMet");
  const failureReported = changed("Failed") || now.failedIndexes !== before.failedIndexes;
  const wasMet = has(before, "SuccessCriteriaMet");
  const rules: readonly (readonly [broken: boolean, text: string])[] = [
    [
      complete && failed && changed("Complete", "Failed"),
      "cannot set Complete=True and Failed=true conditions",
    ],
    [
      complete && target && changed("Complete", "FailureTarget"),
      "cannot set Complete=True and FailureTarget=true conditions",
    ],
    [
      failed && !target && failureReported,
      "cannot set Failed=True condition without the FailureTarget=true condition",
    ],
    [
      complete && !met && changed("Complete", "SuccessCriteriaMet"),
      "cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
    ],
    [met && failed, "cannot set SuccessCriteriaMet=True and Failed=true conditions"],
    [met && target, "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"],
    [
      spec?.successPolicy !== undefined && !met && complete,
      "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True",
    ],
    ...["Failed", "Complete", "FailureTarget"].map(
      (type) =>
        [has(before, type) && !has(now, type), `cannot disable the terminal ${type}=True condition`] as const,
    ),
    [wasMet && !met, "cannot disable the SuccessCriteriaMet=True condition"],
    [
      has(before, "Complete") && !wasMet && met,
      "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions",
    ],
  ];
  return rules.flatMap(([broken, text]) => (broken ? [invalidTogether("status.conditions", text)] : []));
}

function timeErrors(now: Status, before: Status, { spec }: Job): FieldError[] {
  const complete = has(now, "Complete");
  const { completionTime, startTime } = now;
  const startChanged = startTime !== before.startTime;
  const endChanged = completionTime !== before.completionTime;
  const completeChanged = complete !== has(before, "Complete");
  const finishedChanged = isFinished(now) !== isFinished(before);
  const errors: FieldError[] = [];
  const refuse = (text: string): void => {
    errors.push(fieldError.invalid("status.completionTime", completionTime ?? null, text));
  };
  if ((completeChanged || endChanged) && completionTime !== undefined && !complete)
    refuse("cannot set completionTime when there is no Complete=True condition");
  if ((completeChanged || endChanged) && completionTime === undefined && complete)
    errors.push(fieldError.required("status.completionTime", "completionTime is required for Complete jobs"));
  if (
    (startChanged || endChanged) &&
    startTime &&
    completionTime &&
    Date.parse(completionTime) < Date.parse(startTime)
  )
    refuse("must be equal to or after `startTime`");
  const neverRuns = spec?.suspend === true && spec.completions === 0;
  if ((finishedChanged || startChanged) && !neverRuns && startTime === undefined && isFinished(now))
    errors.push(fieldError.required("status.startTime", "startTime is required for finished job"));
  if (completionTime !== undefined && before.completionTime !== undefined && endChanged)
    refuse("field is immutable");
  if (startChanged && before.startTime !== undefined && !spec?.suspend)
    errors.push(fieldError.required("status.startTime", "startTime cannot be removed for unsuspended job"));
  return errors;
}

/** Nothing is left of a job that has finished. */
function finishedErrors(now: Status, before: Status): FieldError[] {
  if (!isFinished(now)) return [];
  const changed = !isFinished(before);
  const errors: FieldError[] = [];
  const { active = 0, terminating = 0, uncountedTerminatedPods: uncounted } = now;
  if (active > 0 && (changed || active !== before.active))
    errors.push(fieldError.invalid("status.active", active, "active>0 is invalid for finished job"));
  if (terminating > 0 && (changed || terminating !== before.terminating))
    errors.push(
      fieldError.invalid("status.terminating", terminating, "terminating>0 is invalid for finished job"),
    );
  const left = (uncounted?.succeeded ?? []).length + (uncounted?.failed ?? []).length;
  if (left > 0 && (changed || !deepEqual(uncounted, before.uncountedTerminatedPods))) {
    const shown = { Succeeded: uncounted?.succeeded ?? null, Failed: uncounted?.failed ?? null };
    errors.push(
      fieldError.invalid("status.uncountedTerminatedPods", shown, "must be empty for finished job"),
    );
  }
  return errors;
}

function indexErrors(now: Status, before: Status, { spec }: Job): FieldError[] {
  const { completedIndexes = "", failedIndexes } = now;
  const { completions, completionMode, backoffLimitPerIndex } = spec ?? {};
  const completedChanged = completedIndexes !== (before.completedIndexes ?? "");
  const failedChanged = failedIndexes !== before.failedIndexes;
  const errors: FieldError[] = [];
  if (completedChanged && completions !== undefined)
    errors.push(...formatErrors(completedIndexes, completions, "completedIndexes"));
  if (
    failedChanged &&
    completions !== undefined &&
    backoffLimitPerIndex !== undefined &&
    failedIndexes !== undefined
  )
    errors.push(...formatErrors(failedIndexes, completions, "failedIndexes"));
  if (completedChanged && completedIndexes !== "" && completionMode !== "Indexed") {
    const text = "cannot set non-empty completedIndexes when non-indexed completion mode";
    errors.push(fieldError.invalid("status.completedIndexes", completedIndexes, text));
  }
  if (failedChanged && failedIndexes !== undefined && backoffLimitPerIndex === undefined) {
    const text = "cannot set non-null failedIndexes when backoffLimitPerIndex is null";
    errors.push(fieldError.invalid("status.failedIndexes", failedIndexes, text));
  }
  if ((completedChanged || failedChanged) && completions !== undefined && failedIndexes !== undefined) {
    const common = firstCommonIndex(completedIndexes, failedIndexes, completions);
    const text = `failedIndexes and completedIndexes overlap at index: ${common}`;
    if (common !== undefined) errors.push(fieldError.invalid("status.failedIndexes", failedIndexes, text));
  }
  return errors;
}

function formatErrors(indexes: string, completions: number, name: string): FieldError[] {
  try {
    countIndexes(indexes, completions);
    return [];
  } catch (error) {
    if (!(error instanceof IndexesError)) throw error;
    return [fieldError.invalid(`status.${name}`, indexes, `error parsing ${name}: ${error.message}`)];
  }
}

/** Pods that have ended do not come back; only a job that is scaled down may forget successes. */
function counterErrors(now: Status, before: Status, { spec }: Job): FieldError[] {
  const elastic = spec?.completionMode === "Indexed" && spec.completions === spec.parallelism;
  return (["failed", "succeeded"] as const).flatMap((name) => {
    const count = now[name] ?? 0;
    if (count >= (before[name] ?? 0) || (name === "succeeded" && elastic)) return [];
    return [fieldError.invalid(`status.${name}`, count, `cannot decrease the ${name} counter`)];
  });
}
