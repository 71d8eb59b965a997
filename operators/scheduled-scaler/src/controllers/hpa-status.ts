// The status of a timetable after each reconcile.
import type { ConditionUpdate } from "@kubewright/api";
import type { Hpa, PastRun } from "../api/v1/hpa.js";
import { changesTarget } from "./change.js";
import { described } from "./context.js";
import { type Circumstances, conditionsOf } from "./hpa-conditions.js";
import { jobStatus, resultFor } from "./job-status.js";
import { type Plan, shown } from "./plan.js";
import { restoredInARow } from "./restore-pace.js";
import { jobOf } from "./run-events.js";
import type { Outcome } from "./run-outcome.js";
import { type Run, upcomingRuns } from "./upcoming.js";

const shownRuns = 5;

/** The status, and the next requeue. */
export interface Report {
  readonly status: Omit<NonNullable<Hpa["status"]>, "conditions"> & {
    readonly conditions: readonly ConditionUpdate[];
  };
  readonly next: Run | undefined;
}

export function reportOn(hpa: Hpa, plan: Plan, outcome: Outcome, circumstances: Circumstances): Report {
  const { spec } = hpa;
  const isHandled = outcome.kind === "done" || outcome.kind === "missed";
  const handledUntil = isHandled ? outcome.run.time : plan.handledUntil;
  const after = Math.max(circumstances.now, handledUntil ?? circumstances.now);
  const done = plan.jobs.map((job) => ({
    ...job,
    isCompleted: job.isCompleted || (job.job.runOnce === true && hadEffect(resultFor(job, outcome))),
    record: job.record,
  }));
  const upcoming = spec.suspend ? [] : upcomingRuns(done, after, shownRuns);
  const [next] = upcoming;
  return {
    next,
    status: {
      target: `${spec.scaleTarget.kind}/${spec.scaleTarget.name}`,
      currentSize: "size" in outcome ? outcome.size : undefined,
      activeJob: plan.isMissed ? undefined : plan.inForce?.job?.name,
      suspended: spec.suspend === true,
      handledUntil: handledUntil === undefined ? undefined : shown(handledUntil),
      sizeBefore: sizeBefore(hpa, plan, outcome),
      ...restorations(hpa, outcome, circumstances.now),
      nextJob: next?.job.name,
      nextRun: next && shown(next.time),
      jobs: done.map((job) => jobStatus(job, hpa, plan, outcome, after)),
      upcoming: upcoming.map(upcomingRun),
      history: history(hpa, outcome),
      conditions: conditionsOf(hpa, plan, outcome, next, circumstances),
    },
  };
}

const hadEffect = (result: string | undefined): boolean => result === "Scaled" || result === "Unchanged";

function upcomingRun({ time, job, isEnd }: Run) {
  const { name, size, minReplicas, maxReplicas } = job;
  return { time: shown(time), job: name, ...(isEnd ? { ends: true } : { size, minReplicas, maxReplicas }) };
}

/** Kept from just before a window until it is over. */
function sizeBefore({ status }: Hpa, { inForce }: Plan, outcome: Outcome): number | undefined {
  if (outcome.kind === "remembered") return outcome.size;
  return outcome.kind === "done" && !inForce?.isWindow ? undefined : status?.sizeBefore;
}

function restorations(hpa: Hpa, outcome: Outcome, now: number) {
  if (outcome.kind !== "restored") return {};
  return { restored: restoredInARow(hpa, now) + 1, lastRestoreTime: shown(now) };
}

function history({ status, spec }: Hpa, outcome: Outcome): readonly PastRun[] {
  const limit = spec.historyLimit ?? 10;
  const past = status?.history ?? [];
  if (outcome.kind !== "done" && outcome.kind !== "missed") return past.slice(0, limit);
  const about = {
    time: shown(outcome.run.time),
    job: jobOf(outcome.run)?.name ?? described(spec.scaleTarget),
  };
  const entry: PastRun =
    outcome.kind === "missed"
      ? { ...about, result: "Missed", to: outcome.run.job?.size, message: outcome.message }
      : {
          ...about,
          result: changesTarget(outcome.change) ? "Scaled" : "Unchanged",
          from: outcome.change.from,
          to: outcome.change.to,
          message: outcome.change.message,
        };
  return [entry, ...past].slice(0, limit);
}
