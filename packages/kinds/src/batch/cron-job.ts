// Cron jobs.
import {
  type CronJob,
  type CronJobSpec,
  CronSyntaxError,
  type FieldError,
  fieldError,
  isTimeZone,
  type JobTemplateSpec,
  parseCronSchedule,
  tooLongText,
} from "@kubewright/api";
import { isNewGeneration, nameWarnings } from "../apps/workload-warnings.js";
import type { BuiltInKind } from "../built-in-kind.js";
import { notNegative, oneOf } from "../field-rules.js";
import type { DraftObject, StoredObject } from "../objects.js";
import { draftAs, storedAs } from "../objects.js";
import { shownSelector } from "../shown-value.js";
import { defaultCronJob } from "./default-job.js";
import { jobSpecWarnings } from "./job.js";
import { validateJobSpec } from "./validate-job-spec.js";

/** Jobs get the name of their cron job and eleven characters. */
const maxName = 52;
const zonePart = /^[A-Za-z.\-_0-9+]{1,14}$/;
const none: CronJobSpec = { schedule: "", jobTemplate: {} };

function validateSpec(spec: CronJobSpec, before: CronJobSpec | undefined): FieldError[] {
  return [
    ...(spec.schedule ? scheduleErrors(spec, before) : [fieldError.required("spec.schedule")]),
    ...notNegative(spec.startingDeadlineSeconds, "spec.startingDeadlineSeconds"),
    ...(before && before.timeZone === spec.timeZone ? [] : timeZoneErrors(spec.timeZone)),
    ...oneOf(spec.concurrencyPolicy, ["Allow", "Forbid", "Replace"], "spec.concurrencyPolicy"),
    ...templateErrors(spec.jobTemplate ?? {}),
    ...notNegative(spec.successfulJobsHistoryLimit, "spec.successfulJobsHistoryLimit"),
    ...notNegative(spec.failedJobsHistoryLimit, "spec.failedJobsHistoryLimit"),
  ];
}

/** Time zones have a field; in the schedule they are tolerated where they were before. */
function scheduleErrors({ schedule, timeZone }: CronJobSpec, before: CronJobSpec | undefined): FieldError[] {
  const field = "spec.schedule";
  const problem = scheduleProblem(schedule);
  const errors = problem === undefined ? [] : [fieldError.invalid(field, schedule, problem)];
  if (!schedule.includes("TZ")) return errors;
  if (!before?.schedule.includes("TZ")) {
    const text = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
    return [...errors, fieldError.invalid(field, schedule, text)];
  }
  const text = "cannot use both timeZone field and TZ or CRON_TZ in schedule";
  return timeZone === undefined ? errors : [...errors, fieldError.invalid(field, schedule, text)];
}

/** The problem of a schedule; undefined when it is valid. */
function scheduleProblem(schedule: string): string | undefined {
  try {
    parseCronSchedule(schedule);
    return undefined;
  } catch (error) {
    if (error instanceof CronSyntaxError) return error.message;
    throw error;
  }
}

function timeZoneErrors(timeZone: string | undefined): FieldError[] {
  const field = "spec.timeZone";
  if (timeZone === undefined) return [];
  if (timeZone === "")
    return [fieldError.invalid(field, timeZone, "timeZone must be nil or non-empty string")];
  const unknown = fieldError.invalid(field, timeZone, `unknown time zone ${timeZone}`);
  const malformed = timeZone
    .split("/")
    .some((part) => part === "." || part === ".." || part.startsWith("-") || !zonePart.test(part));
  if (malformed) return [unknown];
  if (timeZone === "Local" || timeZone.toLowerCase() === "local") {
    const text = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
    const errors = [fieldError.invalid(field, timeZone, text)];
    return timeZone === "Local" ? errors : [...errors, unknown];
  }
  return isTimeZone(timeZone) ? [] : [unknown];
}

function templateErrors({ spec }: JobTemplateSpec): FieldError[] {
  const field = "spec.jobTemplate.spec";
  const errors = validateJobSpec(spec ?? { template: {} }, field);
  if (spec?.selector)
    errors.push(
      fieldError.invalid(
        `${field}.selector`,
        shownSelector(spec.selector),
        "`selector` will be auto-generated",
      ),
    );
  if (spec?.manualSelector)
    errors.push(fieldError.notSupported(`${field}.manualSelector`, spec.manualSelector, ["nil", "false"]));
  return errors;
}

function validateCreate(object: DraftObject): FieldError[] {
  const { name = "" } = object.metadata;
  const errors = validateSpec(draftAs<CronJob>(object).spec ?? none, undefined);
  return name.length > maxName
    ? [...errors, fieldError.invalid("metadata.name", name, tooLongText(maxName))]
    : errors;
}

function warnings(object: DraftObject, old: StoredObject | undefined): string[] {
  const { spec } = draftAs<CronJob>(object);
  const ofJob = jobSpecWarnings(spec?.jobTemplate?.spec, "spec.jobTemplate.spec");
  if (!old) return [...nameWarnings(object.metadata), ...ofJob];
  const zone = spec?.schedule.includes("TZ")
    ? [
        "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
      ]
    : [];
  return [...(isNewGeneration(object, old) ? ofJob : []), ...zone];
}

/** Cron jobs. */
export const cronJobs: BuiltInKind = {
  resource: "cronjobs.batch",
  strategy: {
    applyDefaults: defaultCronJob,
    validateCreate,
    validateUpdate: (object, old) =>
      validateSpec(draftAs<CronJob>(object).spec ?? none, storedAs<CronJob>(old).spec ?? none),
    warnings,
  },
};
