// What a timetable asks for at a moment, as a pure function of the object and the clock.
//
// Exactly once: `status.handledUntil` is the moment of the latest run that was dealt with. Of everything due after it and
// not later than now, the latest run is carried out and the others are counted as missed; the record is written
// after the act. A crash in between repeats the act, which sets the same size again and so changes nothing.
// A clock that goes back a little leaves the record ahead: nothing is due until time has caught up with it. When it goes back
// further, the record is taken for one of a wrong clock, and the timetable goes on from the present.
import type { Schedules } from "@kubewright/runtime/schedule";
import type { Hpa, Job, JobStatus } from "../api/v1/hpa.js";
import { type ExclusionProblem, type ReadJob, readTimetable } from "./jobs.js";

/** A run that is due or will be. */
export interface Run {
  readonly time: number;
  readonly job: Job;
}

/** A job with what is known of its past. */
export interface PlannedJob extends ReadJob {
  readonly since: number;
  readonly record: JobStatus | undefined;
  readonly isCompleted: boolean;
  /** Due runs that will not be carried out: later ones are due too. */
  readonly passedOver: number;
  /** Due at the very moment of a run further down the list. */
  readonly isSuperseded: boolean;
}

export interface Plan {
  readonly jobs: readonly PlannedJob[];
  readonly exclusionProblems: readonly ExclusionProblem[];
  /** What is to be carried out now. */
  readonly due: Run | undefined;
  readonly handledUntil: number | undefined;
}

/** A record further ahead than this is one of a wrong clock. */
const maxAhead = 5 * 60_000;
/** More missed runs than this are not counted at a time. */
const maxCounted = 1_000;

export function planFor(hpa: Hpa, now: number, schedules: Schedules): Plan {
  const { jobs, exclusionProblems } = readTimetable(hpa, schedules);
  const believed = (time: number | undefined): number | undefined =>
    time !== undefined && time > now + maxAhead ? now : time;
  const handledUntil = believed(instantOf(hpa.status?.handledUntil));
  const known = jobs.map((read) => {
    const since = believed(sinceOf(read, hpa, now)) ?? now;
    const record = recordOf(read, hpa);
    return { ...read, since, record, isCompleted: isCompleted(read, record) };
  });
  const isIdle = hpa.spec.suspend === true;
  const starts = known.map(({ since }) => Math.max(since, handledUntil ?? since));
  const latest = known.map((job, index) => (isIdle ? undefined : latestRun(job, starts[index] ?? now, now)));
  const time = latest.reduce<number | undefined>(
    (most, each) => (each !== undefined && each > (most ?? 0) ? each : most),
    undefined,
  );
  const chosen = time === undefined ? -1 : latest.lastIndexOf(time);
  const planned = known.map((job, index) => ({
    ...job,
    passedOver:
      latest[index] === undefined
        ? 0
        : countRuns(job, starts[index] ?? now, now) - (latest[index] === time ? 1 : 0),
    isSuperseded: index !== chosen && latest[index] !== undefined && latest[index] === time,
  }));
  const job = known[chosen]?.job;
  const due = job && time !== undefined ? { job, time } : undefined;
  return { jobs: planned, exclusionProblems, due, handledUntil };
}

/** The next runs from a moment on. What is due at the same moment is one run: that of the last job in the list. */
export function upcomingRuns(jobs: readonly PlannedJob[], after: number, count: number): readonly Run[] {
  const byTime = new Map<number, Run>();
  for (const { job, schedule, isCompleted, since } of jobs) {
    if (!schedule || isCompleted) continue;
    let time = schedule.next(Math.max(after, since));
    for (let found = 0; time !== undefined && found < (job.runOnce ? 1 : count); found++) {
      byTime.set(time, { time, job });
      time = schedule.next(time);
    }
  }
  return [...byTime.values()].sort((a, b) => a.time - b.time).slice(0, count);
}

/** Whole seconds, as status has them. */
export const shown = (time: number): string => `${new Date(time).toISOString().slice(0, 19)}Z`;

export function instantOf(text: string | undefined): number | undefined {
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/** What status says of a job, if it is about this very schedule. */
function recordOf({ job, timeZone, schedule }: ReadJob, { status }: Hpa): JobStatus | undefined {
  if (!schedule) return undefined;
  return status?.jobs?.find(
    (each) =>
      each.name === job.name &&
      each.schedule === job.schedule &&
      each.timeZone === timeZone &&
      each.since !== undefined,
  );
}

/** From when on runs of a job count: the object's beginning, or when the job came into it or was woken. */
function sinceOf(read: ReadJob, hpa: Hpa, now: number): number | undefined {
  const { metadata, status, spec } = hpa;
  if (status?.suspended && !spec.suspend) return now;
  if (!status?.jobs) return instantOf(metadata.creationTimestamp);
  return instantOf(recordOf(read, hpa)?.since) ?? now;
}

function isCompleted({ job }: ReadJob, record: JobStatus | undefined): boolean {
  return job.runOnce === true && record?.lastRun !== undefined && record.lastResult !== "Missed";
}

function latestRun(
  { schedule, isCompleted }: { schedule: ReadJob["schedule"]; isCompleted: boolean },
  start: number,
  now: number,
): number | undefined {
  const time = isCompleted ? undefined : schedule?.previous(now + 1);
  return time !== undefined && time > start ? time : undefined;
}

function countRuns({ schedule }: ReadJob, start: number, now: number): number {
  let count = 0;
  for (
    let time = schedule?.next(start);
    time !== undefined && time <= now && count < maxCounted;
    time = schedule?.next(time)
  )
    count += 1;
  return count;
}
