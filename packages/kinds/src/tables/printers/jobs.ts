// Jobs and what schedules them.
import { CronJob, isConditionTrue, Job } from "@kubewright/api";
import { ageColumn, column, containerColumns, nameColumn, wideColumn } from "../column.js";
import { humanDuration, millisecondsOf } from "../human-duration.js";
import { definePrinter, type TablePrinter } from "../printer.js";
import { booleanText, containerCells, selectorText } from "./cell-text.js";

const job = definePrinter(
  Job,
  [
    nameColumn,
    column("Status", { description: "Status of the job." }),
    column("Completions", { of: "JobStatus.succeeded" }),
    column("Duration", { description: "Time required to complete the job." }),
    ageColumn,
    ...containerColumns,
    wideColumn("Selector", { of: "JobSpec.selector" }),
  ],
  (object, { age, now }) => [
    object.metadata?.name ?? "",
    statusText(object),
    completionsText(object),
    durationText(object, now),
    age(object.metadata?.creationTimestamp),
    ...containerCells(object.spec?.template?.spec?.containers),
    selectorText(object.spec?.selector),
  ],
);

function statusText({ metadata, status }: Job): string {
  const is = (type: string): boolean => isConditionTrue(status?.conditions, type);
  if (is("Complete")) return "Complete";
  if (is("Failed")) return "Failed";
  if (metadata?.deletionTimestamp) return "Terminating";
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find(is) ?? "Running";
}

function completionsText({ spec, status }: Job): string {
  const succeeded = status?.succeeded ?? 0;
  if (spec?.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const parallelism = spec?.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationText({ status }: Job, now: number): string {
  const start = millisecondsOf(status?.startTime);
  if (start === undefined) return "";
  return humanDuration((millisecondsOf(status?.completionTime) ?? now) - start);
}

const cronJob = definePrinter(
  CronJob,
  [
    nameColumn,
    column("Schedule", { of: "CronJobSpec.schedule" }),
    column("Timezone", { of: "CronJobSpec.timeZone" }),
    column("Suspend", { type: "boolean", of: "CronJobSpec.suspend" }),
    column("Active", { type: "integer", of: "CronJobStatus.active" }),
    column("Last Schedule", { of: "CronJobStatus.lastScheduleTime" }),
    ageColumn,
    ...containerColumns,
    wideColumn("Selector", { of: "JobSpec.selector" }),
  ],
  ({ metadata, spec, status }, { age }) => {
    const template = spec?.jobTemplate?.spec;
    return [
      metadata?.name ?? "",
      spec?.schedule ?? "",
      spec?.timeZone ?? "<none>",
      booleanText(spec?.suspend),
      status?.active?.length ?? 0,
      status?.lastScheduleTime ? age(status.lastScheduleTime) : "<none>",
      age(metadata?.creationTimestamp),
      ...containerCells(template?.template?.spec?.containers),
      selectorText(template?.selector),
    ];
  },
);

export const jobPrinters: readonly TablePrinter[] = [job, cronJob];
