// What is said of a timetable after each look at it.
import type { ConditionUpdate } from "@kubewright/api";
import type { Hpa, JobStatus, PastRun } from "../api/v1/hpa.js";
import { type Plan, type PlannedJob, type Run, shown, upcomingRuns } from "./plan.js";
import { type Outcome, waitingText } from "./run-outcome.js";

const shownRuns = 5;

/** What is said, and what comes next. */
export interface Report {
  readonly status: Omit<NonNullable<Hpa["status"]>, "conditions"> & {
    readonly conditions: readonly ConditionUpdate[];
  };
  readonly next: Run | undefined;
}

export function reportOn(hpa: Hpa, plan: Plan, outcome: Outcome, now: number): Report {
  const { spec, status } = hpa;
  const isHandled = outcome.kind === "done" || outcome.kind === "missed";
  const handledUntil = isHandled ? outcome.run.time : plan.handledUntil;
  const done = plan.jobs.map((job) => ({
    ...job,
    isCompleted:
      job.isCompleted ||
      (job.job.runOnce === true && outcome.kind === "done" && ran(job, outcome) !== undefined),
  }));
  const upcoming = spec.suspend ? [] : upcomingRuns(done, Math.max(now, handledUntil ?? now), shownRuns);
  const [next] = upcoming;
  return {
    next,
    status: {
      target: `${spec.scaleTarget.kind}/${spec.scaleTarget.name}`,
      currentSize: sizeAfter(outcome) ?? (isMissing(outcome) ? undefined : status?.currentSize),
      suspended: spec.suspend === true,
      handledUntil: handledUntil === undefined ? undefined : shown(handledUntil),
      nextJob: next?.job.name,
      nextRun: next && shown(next.time),
      jobs: done.map((job) => jobStatus(job, hpa, outcome, Math.max(now, handledUntil ?? now))),
      upcoming: upcoming.map(({ time, job }) => ({ time: shown(time), job: job.name, size: job.size })),
      history: history(hpa, outcome),
      conditions: [readiness(hpa, plan, outcome, next)],
    },
  };
}

/** How the run just handled went for a job; undefined when the job had no part in it. */
function ran({ job, isSuperseded }: PlannedJob, outcome: Outcome): string | undefined {
  if (outcome.kind !== "done" && outcome.kind !== "missed") return undefined;
  if (isSuperseded) return "Superseded";
  if (job !== outcome.run.job) return undefined;
  return resultOf(outcome);
}

function resultOf(outcome: Extract<Outcome, { readonly kind: "done" | "missed" }>): string {
  if (outcome.kind === "missed") return "Missed";
  return outcome.from === outcome.to ? "Unchanged" : "Scaled";
}

function jobStatus(planned: PlannedJob, { spec }: Hpa, outcome: Outcome, after: number): JobStatus {
  const { job, timeZone, schedule, problems, record, since } = planned;
  const about = { name: job.name, schedule: job.schedule, timeZone, size: job.size };
  if (!schedule) return { ...about, state: "Invalid", message: described(problems) };
  const result = ran(planned, outcome);
  const isHandled = outcome.kind === "done" || outcome.kind === "missed";
  const missed = (record?.missed ?? 0) + (isHandled ? planned.passedOver : 0) + (result === "Missed" ? 1 : 0);
  const nextRun = spec.suspend || planned.isCompleted ? undefined : schedule.next(Math.max(after, since));
  const waiting = outcome.kind === "waiting" && outcome.run.job === job ? outcome : undefined;
  return {
    ...about,
    state: stateOf(planned, spec.suspend === true, nextRun),
    ...(waiting ? { message: waitingText(waiting.run, waiting) } : {}),
    since: shown(since),
    ...lastOf(record, result, isHandled ? outcome.run.time : undefined),
    ...(missed > 0 ? { missed } : {}),
    ...(nextRun === undefined ? {} : { nextRun: shown(nextRun) }),
  };
}

function lastOf(record: JobStatus | undefined, result: string | undefined, time: number | undefined) {
  if (result !== undefined && time !== undefined) return { lastRun: shown(time), lastResult: result };
  const { lastRun, lastResult } = record ?? {};
  return lastRun === undefined || lastResult === undefined ? {} : { lastRun, lastResult };
}

function stateOf(
  { isCompleted }: PlannedJob,
  isSuspended: boolean,
  nextRun: number | undefined,
): JobStatus["state"] {
  if (isCompleted) return "Completed";
  if (isSuspended) return "Suspended";
  return nextRun === undefined ? "Finished" : "Scheduled";
}

function history({ status, spec }: Hpa, outcome: Outcome): readonly PastRun[] {
  const limit = spec.historyLimit ?? 10;
  const past = status?.history ?? [];
  if (outcome.kind !== "done" && outcome.kind !== "missed") return past.slice(0, limit);
  const { run, message } = outcome;
  const sizes = outcome.kind === "done" ? { from: outcome.from, to: outcome.to } : { to: run.job.size };
  const entry = { time: shown(run.time), job: run.job.name, result: resultOf(outcome), ...sizes };
  return [{ ...entry, ...(message === undefined ? {} : { message }) }, ...past].slice(0, limit);
}

function sizeAfter(outcome: Outcome): number | undefined {
  if (outcome.kind === "done") return outcome.to;
  return outcome.kind === "idle" ? outcome.size : undefined;
}

function isMissing(outcome: Outcome): boolean {
  if (outcome.kind === "waiting") return true;
  return outcome.kind === "idle" && outcome.problem !== undefined;
}

function readiness(hpa: Hpa, plan: Plan, outcome: Outcome, next: Run | undefined): ConditionUpdate {
  const problem =
    outcome.kind === "waiting" ? outcome : outcome.kind === "idle" ? outcome.problem : undefined;
  if (problem) return { type: "Ready", status: "False", reason: problem.reason, message: problem.message };
  const invalid = [
    ...plan.jobs.flatMap(({ job, problems }) =>
      problems.length === 0 ? [] : [`job ${job.name}: ${described(problems)}`],
    ),
    ...plan.exclusionProblems.map(({ index, message }) => `excludeDates[${index}]: ${message}`),
  ];
  if (invalid.length > 0)
    return { type: "Ready", status: "False", reason: "Invalid", message: invalid.join("; ").slice(0, 1_000) };
  return { type: "Ready", status: "True", ...outlook(hpa, next) };
}

function outlook({ spec }: Hpa, next: Run | undefined): Pick<ConditionUpdate, "reason" | "message"> {
  if (spec.suspend) return { reason: "Suspended", message: "nothing runs while spec.suspend is true" };
  if (next) return { reason: "Scheduled", message: "the next runs are in status.upcoming" };
  return { reason: "Finished", message: "no job has a run to come" };
}

function described(problems: PlannedJob["problems"]): string {
  return problems.map(({ message }) => message).join("; ");
}
