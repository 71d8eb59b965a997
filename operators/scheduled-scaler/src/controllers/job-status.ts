// The status of one job.
import type { Hpa, JobStatus } from "../api/v1/hpa.js";
import { changesTarget } from "./change.js";
import { problemText } from "./hpa-conditions.js";
import { latestPoint, latestWindow } from "./in-force.js";
import { type Plan, type PlannedJob, shown } from "./plan.js";
import { jobOf, waitingText } from "./run-events.js";
import type { Outcome } from "./run-outcome.js";

/** The result of the run just handled for a job; undefined when the job had no part in it. */
export function resultFor({ job, isSuperseded, wasDue }: PlannedJob, outcome: Outcome): string | undefined {
  if (outcome.kind !== "done" && outcome.kind !== "missed") return undefined;
  if (isSuperseded) return "Superseded";
  if (job !== outcome.run.job || (outcome.run.ended && !wasDue)) return undefined;
  if (outcome.kind === "missed") return "Missed";
  return changesTarget(outcome.change) ? "Scaled" : "Unchanged";
}

export function jobStatus(
  planned: PlannedJob,
  hpa: Hpa,
  plan: Plan,
  outcome: Outcome,
  after: number,
): JobStatus {
  const { job, timeZone, text, starts, problems, record, since } = planned;
  const { name, size, minReplicas, maxReplicas } = job;
  const about = { name, schedule: text, timeZone, size, minReplicas, maxReplicas };
  if (!starts) return { ...about, state: "Invalid", message: problemText(problems) };
  const result = resultFor(planned, outcome);
  const isHandled = outcome.kind === "done" || outcome.kind === "missed";
  const missed = (record?.missed ?? 0) + (isHandled ? planned.passedOver + (result === "Missed" ? 1 : 0) : 0);
  const nextRun = hpa.spec.suspend || planned.isCompleted ? undefined : starts.next(after);
  return {
    ...about,
    state: stateOf(planned, hpa, plan, nextRun),
    message: messageOf(planned, outcome),
    since: shown(since),
    lastRun:
      result !== undefined && isHandled ? shown(timeOf(planned, plan, outcome.run.time)) : record?.lastRun,
    lastResult: result ?? record?.lastResult,
    missed: missed || undefined,
    nextRun: nextRun === undefined ? undefined : shown(nextRun),
  };
}

/** The time when the run of a job was due that was just handled: a schedule may have been due during a window that has ended now. */
function timeOf(planned: PlannedJob, { at }: Plan, handled: number): number {
  return latestPoint(planned, at) ?? handled;
}

function stateOf(
  planned: PlannedJob,
  { spec }: Hpa,
  { at }: Plan,
  nextRun: number | undefined,
): JobStatus["state"] {
  const window = latestWindow(planned, at);
  if (!spec.suspend && window && window.end > at) return "Active";
  if (planned.isCompleted) return "Completed";
  if (spec.suspend) return "Suspended";
  return nextRun === undefined ? "Finished" : "Scheduled";
}

function messageOf({ job, neverComes }: PlannedJob, outcome: Outcome): string | undefined {
  if (outcome.kind === "waiting" && jobOf(outcome.run) === job) return waitingText(outcome.run, outcome);
  return neverComes === "excluded" ? "it never comes: all its days are days of rest" : undefined;
}
