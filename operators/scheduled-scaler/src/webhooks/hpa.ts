// Validation of a timetable beyond its schema: its schedules, time zones and days.
import {
  Deployment,
  type FieldError,
  fieldError,
  HorizontalPodAutoscaler,
  parseApiVersion,
  ReplicaSet,
  StatefulSet,
} from "@kubewright/api";
import { defineWebhook } from "@kubewright/runtime";
import { Schedules, zoneNameProblem } from "@kubewright/runtime/schedule";
import { Hpa } from "../api/v1/hpa.js";
import { readDates } from "../controllers/days-of-rest.js";
import { type ReadJob, readTimetable } from "../controllers/jobs.js";

const wellKnown = [Deployment, StatefulSet, ReplicaSet, HorizontalPodAutoscaler] as const;
const schedules = new Schedules();

export const hpaWebhook = defineWebhook(Hpa, {
  uses: wellKnown,
  async validate(hpa, ctx) {
    const { apiVersion, kind, name } = hpa.spec.scaleTarget;
    const group = parseApiVersion(apiVersion)?.group;
    const known = wellKnown.find((each) => each.kind === kind && each.group === group);
    if (known && !(await ctx.get(known, name))) ctx.warn(`spec.scaleTarget: there is no ${kind} ${name} yet`);
    const { errors, warnings } = timetable(hpa, ctx.oldObject, ctx.now());
    for (const warning of warnings) ctx.warn(warning);
    return [...errors, ...guards(hpa)];
  },
});

function timetable(hpa: Hpa, old: Hpa | undefined, now: number) {
  const rest = readDates(hpa.spec.excludeDates ?? [], "spec.excludeDates");
  const { jobs, timeZoneProblem } = readTimetable(hpa, schedules, rest.tests, now);
  const { timeZone } = hpa.spec;
  const zone = timeZoneProblem ?? zoneProblem(timeZone, old?.spec.timeZone);
  return {
    errors: [
      ...(zone === undefined ? [] : [fieldError.invalid("spec.timeZone", timeZone, zone)]),
      ...jobs.flatMap((read, index) => jobErrors(read, `spec.jobs[${index}]`, old)),
      ...rest.problems.map(({ field, value, message }) => fieldError.invalid(field, value, message)),
    ],
    warnings: [
      ...rest.warnings.map(({ field, message }) => `${field}: ${message}`),
      ...jobs.flatMap(({ neverComes }, index) =>
        neverComes ? [`spec.jobs[${index}]: ${whyNever[neverComes]}, so it never runs`] : [],
      ),
    ],
  };
}

const whyNever = { past: "its date is in the past", excluded: "all its days are days of rest" } as const;

function jobErrors({ job, problems }: ReadJob, place: string, old: Hpa | undefined): readonly FieldError[] {
  const errors = problems.flatMap(({ field, message }) => {
    if (field === "name") return [fieldError.duplicate(`${place}.name`, job.name)];
    // That of the whole is wrong once, however many jobs it is wrong for.
    return job[field] === undefined ? [] : [fieldError.invalid(`${place}.${field}`, job[field], message)];
  });
  if (problems.some(({ field }) => field === "timeZone")) return errors;
  const before = old?.spec.jobs.find(({ name }) => name === job.name)?.timeZone;
  const zone = zoneProblem(job.timeZone, before);
  return zone === undefined
    ? errors
    : [...errors, fieldError.invalid(`${place}.timeZone`, job.timeZone, zone)];
}

/** A zone that is stored already stays as it is. */
function zoneProblem(name: string | undefined, stored: string | undefined): string | undefined {
  return name === undefined || name === stored ? undefined : zoneNameProblem(name);
}

function guards({
  spec: { jobs, minSize = 0, maxSize = Number.POSITIVE_INFINITY },
}: Hpa): readonly FieldError[] {
  return jobs.flatMap((job, index) =>
    (["size", "minReplicas", "maxReplicas"] as const).flatMap((field) => {
      const value = job[field];
      if (value === undefined || (value >= minSize && value <= maxSize)) return [];
      const bound =
        value < minSize ? `must not be less than minSize ${minSize}` : `must not exceed maxSize ${maxSize}`;
      return [fieldError.invalid(`spec.jobs[${index}].${field}`, value, bound)];
    }),
  );
}
