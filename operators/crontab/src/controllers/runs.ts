// The runs of a CronTab are Jobs. Each carries in its name the second it was due at, so that no second has two.
import { createHash } from "node:crypto";
import { getControllerOf, isBeingDeleted, type Job } from "@kubewright/api";
import type { Predicate } from "@kubewright/runtime";
import type { CronTab } from "../api/v1/cron-tab.js";

/** On every run, with the name of its CronTab. */
export const cronTabLabel = "stable.example.com/crontab";
/** On every run, with the moment it was due at. */
export const scheduledAnnotation = "stable.example.com/scheduled-at";
/** On a run, with how many had been missed when it was started: the count survives a crash before status has it. */
export const missedAnnotation = "stable.example.com/missed-before";

/** Names of pods are made from those of Jobs, and are labels: 63 characters, of which the second takes 11. */
const maxBase = 52;

/** Whole seconds. */
export const shown = (time: number): string => `${new Date(time).toISOString().slice(0, 19)}Z`;

/** The name of the run that is due at a moment. */
export function runName(name: string, time: number): string {
  const isLong = name.length > maxBase;
  const digest = isLong ? createHash("sha256").update(name).digest("hex").slice(0, 8) : "";
  const base = isLong ? `${name.slice(0, maxBase - 9).replace(/[^a-z0-9]+$/, "")}-${digest}` : name;
  return `${base}-${Math.floor(time / 1_000)}`;
}

/** The run that is due at a moment, after so many were missed. */
export function runFor({ metadata, spec }: CronTab, time: number, missed: number) {
  const { name = "" } = metadata;
  const { image, replicas = 1, command, args, env, resources } = spec;
  const labels = { [cronTabLabel]: name.slice(0, 63).replace(/[^a-z0-9]+$/, "") };
  const container = {
    name: "run",
    image,
    ...(command ? { command } : {}),
    ...(args ? { args } : {}),
    ...(env ? { env } : {}),
    ...(resources ? { resources } : {}),
  };
  return {
    metadata: {
      name: runName(name, time),
      labels,
      annotations: {
        [scheduledAnnotation]: shown(time),
        ...(missed > 0 ? { [missedAnnotation]: String(missed) } : {}),
      },
    },
    spec: {
      parallelism: replicas,
      completions: replicas,
      template: { metadata: { labels }, spec: { restartPolicy: "OnFailure", containers: [container] } },
    },
  } satisfies Job;
}

/** How a run stands. */
export type RunState = "active" | "succeeded" | "failed";

export function stateOf({ status }: Job): RunState {
  for (const { type, status: value } of status?.conditions ?? []) {
    if (value !== "True") continue;
    if (type === "Complete") return "succeeded";
    if (type === "Failed") return "failed";
  }
  return "active";
}

/**
 * Changes of runs that a CronTab has to be looked at for: one ends, or is lost before its end. That one begins, or that one
 * that has ended goes, is the operator's own doing, and nothing follows from it.
 */
export const isNews: Predicate<Job> = ({ previous, current }) => {
  if (!previous) return current !== undefined && stateOf(current) !== "active";
  if (!current) return stateOf(previous) === "active";
  return (
    stateOf(previous) !== stateOf(current) || getControllerOf(previous)?.uid !== getControllerOf(current)?.uid
  );
};

/** When a run was due. */
export function dueAt({ metadata }: Job): number | undefined {
  const time = Date.parse(metadata?.annotations?.[scheduledAnnotation] ?? "");
  return Number.isNaN(time) ? undefined : time;
}

/** How many runs were missed so far, by status and by the runs themselves. */
export function missedSoFar({ status }: CronTab, jobs: readonly Job[]): number {
  const counts = jobs.map(({ metadata }) => Number(metadata?.annotations?.[missedAnnotation] ?? 0));
  return Math.max(status?.missed ?? 0, ...counts.filter(Number.isSafeInteger));
}

/** When a run last succeeded, by status and by the runs themselves. */
export function lastSuccess({ status }: CronTab, jobs: readonly Job[]): string | undefined {
  const times = jobs.flatMap((job) =>
    stateOf(job) === "succeeded" ? [job.status?.completionTime ?? ""] : [],
  );
  return [...times, status?.lastSuccessfulTime ?? ""].toSorted().at(-1) || undefined;
}

/** Runs that may go: finished ones beyond the limits, the oldest first. The newest of all stays: it says what was run last. */
export function outdated(jobs: readonly Job[], { spec }: CronTab): readonly Job[] {
  const { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 } = spec;
  const newestFirst = jobs
    .filter((job) => !isBeingDeleted(job))
    .toSorted((a, b) => (dueAt(b) ?? 0) - (dueAt(a) ?? 0));
  const [newest] = newestFirst;
  const beyond = (state: RunState, limit: number): readonly Job[] =>
    newestFirst.filter((job) => stateOf(job) === state).slice(limit);
  return [
    ...beyond("succeeded", successfulJobsHistoryLimit),
    ...beyond("failed", failedJobsHistoryLimit),
  ].filter((job) => job !== newest);
}
