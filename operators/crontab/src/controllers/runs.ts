// The runs of a CronTab, which are Jobs: their states, times and counts.
import { getControllerOf, isBeingDeleted, type Job } from "@kubewright/api";
import type { Predicate } from "@kubewright/runtime";
import type { CronTab } from "../api/v1/cron-tab.js";

/** On every run, with the name of its CronTab. */
export const cronTabLabel = "stable.example.com/crontab";
/** On every run that was due, with the moment. */
export const scheduledAnnotation = "stable.example.com/scheduled-at";
/** On a run, with how many had been missed when it was started: the count survives a crash before status has it. */
export const missedAnnotation = "stable.example.com/missed-before";
/** On a CronTab: every new value starts a run. On that run, with the value. */
export const runNowAnnotation = "stable.example.com/run-now";

/** Whole seconds. */
export const shown = (time: number): string => `${new Date(time).toISOString().slice(0, 19)}Z`;

/** The state of a run. */
export type RunState = "active" | "succeeded" | "failed";

export function stateOf(job: Job): RunState {
  const type = endOf(job)?.type;
  if (type === undefined) return "active";
  return type === "Complete" ? "succeeded" : "failed";
}

/** Why a run failed, for people. */
export function failureOf(job: Job): string {
  const { reason = "Failed", message = "" } = endOf(job) ?? {};
  return message === "" ? reason : `${reason}: ${message}`;
}

function endOf({ status }: Job) {
  return status?.conditions?.find(
    ({ type, status: value }) => value === "True" && (type === "Complete" || type === "Failed"),
  );
}

/**
 * Changes of runs after which a CronTab is reconciled: one ends, or is lost before its end. The creation of a run, and the deletion of
 * one that has ended, are the operator's own writes, and nothing follows from them.
 */
export const isNews: Predicate<Job> = ({ previous, current }) => {
  if (!previous) return current !== undefined && stateOf(current) !== "active";
  if (!current) return stateOf(previous) === "active";
  return (
    stateOf(previous) !== stateOf(current) || getControllerOf(previous)?.uid !== getControllerOf(current)?.uid
  );
};

/** The time when a run was due; undefined for one that was asked for. */
export function dueAt({ metadata }: Job): number | undefined {
  const time = Date.parse(metadata?.annotations?.[scheduledAnnotation] ?? "");
  return Number.isNaN(time) ? undefined : time;
}

/** The number of runs missed so far, by status and by the runs themselves. */
export function missedSoFar({ status }: CronTab, jobs: readonly Job[]): number {
  const counts = jobs.map(({ metadata }) => Number(metadata?.annotations?.[missedAnnotation] ?? 0));
  return Math.max(status?.missed ?? 0, ...counts.filter(Number.isSafeInteger));
}

/** The time when a run last succeeded, by status and by the runs themselves. */
export function lastSuccess({ status }: CronTab, jobs: readonly Job[]): string | undefined {
  const times = jobs.flatMap((job) =>
    stateOf(job) === "succeeded" ? [job.status?.completionTime ?? ""] : [],
  );
  return [...times, status?.lastSuccessfulTime ?? ""].toSorted().at(-1) || undefined;
}

/** The time when the last run that was started was due, by status and by the runs themselves. */
export function lastStarted({ status }: CronTab, jobs: readonly Job[], now: number): string | undefined {
  const times = jobs.flatMap((job) => dueAt(job) ?? []).filter((time) => time <= now);
  const known = Date.parse(status?.lastScheduleTime ?? "");
  const latest = Math.max(...times, Number.isNaN(known) ? 0 : known);
  return latest > 0 ? shown(latest) : undefined;
}

export const isActive = (job: Job): boolean => stateOf(job) === "active";

/** Runs by when they were due or asked for, the newest first. */
export function newestFirst(jobs: readonly Job[]): readonly Job[] {
  const time = (job: Job): number => dueAt(job) ?? (Date.parse(job.metadata?.creationTimestamp ?? "") || 0);
  return jobs.toSorted((a, b) => time(b) - time(a));
}

/**
 * Runs that may be deleted: finished ones beyond the limits, the oldest first. The newest of all stays, as the record of the last run,
 * and so does the one that the present annotation asked for.
 */
export function outdated(jobs: readonly Job[], { spec, metadata }: CronTab): readonly Job[] {
  const { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 } = spec;
  const asked = metadata.annotations?.[runNowAnnotation];
  const sorted = newestFirst(jobs.filter((job) => !isBeingDeleted(job)));
  const [newest] = sorted;
  const beyond = (state: RunState, limit: number): readonly Job[] =>
    sorted.filter((job) => stateOf(job) === state).slice(limit);
  return [
    ...beyond("succeeded", successfulJobsHistoryLimit),
    ...beyond("failed", failedJobsHistoryLimit),
  ].filter(
    (job) =>
      job !== newest && (asked === undefined || job.metadata?.annotations?.[runNowAnnotation] !== asked),
  );
}
