// What a schema cannot say of a timetable: whether its schedules, zones and days are any.
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
import { Schedules } from "@kubewright/runtime/schedule";
import { Hpa } from "../api/v1/hpa.js";
import { readTimetable } from "../controllers/jobs.js";

const wellKnown = [Deployment, StatefulSet, ReplicaSet, HorizontalPodAutoscaler] as const;
const schedules = new Schedules();

export const hpaWebhook = defineWebhook(Hpa, {
  uses: wellKnown,
  async validate(hpa, ctx) {
    const { apiVersion, kind, name } = hpa.spec.scaleTarget;
    const group = parseApiVersion(apiVersion)?.group;
    const known = wellKnown.find((each) => each.kind === kind && each.group === group);
    if (known && !(await ctx.get(known, name))) ctx.warn(`spec.scaleTarget: there is no ${kind} ${name} yet`);
    return [...timetable(hpa), ...guards(hpa)];
  },
});

function timetable(hpa: Hpa): readonly FieldError[] {
  const { jobs, timeZoneProblem, exclusionProblems } = readTimetable(hpa, schedules);
  const { excludeDates = [], timeZone } = hpa.spec;
  return [
    ...(timeZoneProblem === undefined
      ? []
      : [fieldError.invalid("spec.timeZone", timeZone, timeZoneProblem)]),
    ...jobs.flatMap(({ job, problems }, index) =>
      problems.flatMap(({ field, message }) => {
        const place = `spec.jobs[${index}].${field}`;
        if (field === "name") return [fieldError.duplicate(place, job.name)];
        // That of the whole is wrong once, however many jobs it is wrong for.
        return job[field] === undefined ? [] : [fieldError.invalid(place, job[field], message)];
      }),
    ),
    ...exclusionProblems.map(({ index, message }) =>
      fieldError.invalid(`spec.excludeDates[${index}]`, excludeDates[index], message),
    ),
  ];
}

function guards({
  spec: { jobs, minSize = 0, maxSize = Number.POSITIVE_INFINITY },
}: Hpa): readonly FieldError[] {
  return jobs.flatMap(({ size }, index) => {
    if (size >= minSize && size <= maxSize) return [];
    const bound =
      size < minSize ? `must not be less than minSize ${minSize}` : `must not exceed maxSize ${maxSize}`;
    return [fieldError.invalid(`spec.jobs[${index}].size`, size, bound)];
  });
}
