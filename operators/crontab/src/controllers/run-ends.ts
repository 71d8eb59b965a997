// The ends of runs: counted in status, and recorded as events.
import type { Job } from "@kubewright/api";
import type { CronTab } from "../api/v1/cron-tab.js";
import { failureOf, lastSuccess, newestFirst, stateOf } from "./runs.js";
import type { Context } from "./start-run.js";

/** The ends of runs, with what status knows of them already. */
export interface RunEnds {
  readonly lastSuccessfulTime: string | undefined;
  readonly failed: number;
  /** The Jobs that are counted as failed and still there. */
  readonly failedJobs: readonly string[];
  /** Failed and not counted yet. */
  readonly uncounted: readonly Job[];
  /** The latest run that has ended, if it failed. */
  readonly lastFailure: Job | undefined;
}

export function runEnds(cronTab: CronTab, jobs: readonly Job[]): RunEnds {
  const counted = new Set(cronTab.status?.failedJobs ?? []);
  const failed = jobs.filter((job) => stateOf(job) === "failed");
  const uncounted = failed.filter(({ metadata }) => !counted.has(metadata?.name ?? ""));
  const lastEnded = newestFirst(jobs).find((job) => stateOf(job) !== "active");
  return {
    lastSuccessfulTime: lastSuccess(cronTab, jobs),
    failed: (cronTab.status?.failed ?? 0) + uncounted.length,
    failedJobs: failed.map(({ metadata }) => metadata?.name ?? "").toSorted(),
    uncounted,
    lastFailure: lastEnded && stateOf(lastEnded) === "failed" ? lastEnded : undefined,
  };
}

/** Records events for runs that ended since status was written. Without a status those are not known. */
export function recordEnds(
  ctx: Context,
  { status }: CronTab,
  { uncounted, lastSuccessfulTime }: RunEnds,
): void {
  if (!status) return;
  for (const job of uncounted)
    ctx.event({
      type: "Warning",
      reason: "RunFailed",
      action: "Run",
      note: `a run failed: ${failureOf(job)}`,
    });
  if (lastSuccessfulTime !== undefined && lastSuccessfulTime !== status.lastSuccessfulTime)
    ctx.event({ reason: "RunSucceeded", action: "Run", note: "a run succeeded" });
}
