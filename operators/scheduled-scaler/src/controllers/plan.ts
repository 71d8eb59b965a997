// The plan of a timetable at a moment, as a pure function of the object and the clock.
//
// Exactly once: `status.handledUntil` is the moment of the latest run that was dealt with. Of everything due after it and
// not later than now, the latest run is carried out and the others are counted as missed; the record is written
// after the act. A crash in between repeats the act, which sets the same size again and so changes nothing.
// A clock that goes back a little leaves the record ahead: the timetable stays where it was until time has caught up with it.
// When it goes back further, the record is taken for one of a wrong clock, and the timetable goes on from the present.
import type { Schedules } from "@kubewright/runtime/schedule";
import type { Hpa, JobStatus } from "../api/v1/hpa.js";
import type { DaysOfRest } from "./days-of-rest.js";
import { type InForce, inForceAt, type KnownJob, latestPoint, latestWindow, pointAt } from "./in-force.js";
import { type ReadJob, readTimetable } from "./jobs.js";

/** A job at the moment of the plan. */
export interface PlannedJob extends KnownJob {
  /** Due runs that will not be carried out: later ones are due too. */
  readonly passedOver: number;
  /** It was due since the last time something was handled. */
  readonly wasDue: boolean;
  /** Due at the very moment of a run further down the list, or during a window. */
  readonly isSuperseded: boolean;
}

export interface Plan {
  readonly jobs: readonly PlannedJob[];
  readonly rest: DaysOfRest;
  /** The moment the plan is for: now, or a little later where a clock went back. */
  readonly at: number;
  /** The run that is in force; undefined when nothing is, or when it may not be caught up with. */
  readonly inForce: InForce | undefined;
  /** True when that is to be carried out now, not only kept up. */
  readonly isDue: boolean;
  /** It is due, and too late. */
  readonly isMissed: boolean;
  readonly handledUntil: number | undefined;
}

/** A record further ahead than this is one of a wrong clock. */
const maxAhead = 5 * 60_000;
/** More missed runs than this are not counted at a time. */
const maxCounted = 1_000;
/** With catchUpPolicy None, a run that is late by less was not missed: somebody has to notice that it is due. */
const promptSeconds = 60;

export function planFor(hpa: Hpa, now: number, schedules: Schedules, rest: DaysOfRest): Plan {
  const { spec, status } = hpa;
  const trusted = (time: number | undefined): number | undefined =>
    time !== undefined && time > now + maxAhead ? now : time;
  const handledUntil = trusted(instantOf(status?.handledUntil));
  const at = Math.max(now, handledUntil ?? now);
  const { jobs } = readTimetable(hpa, schedules, rest.tests, now);
  const known = jobs.map((read): KnownJob => {
    const record = recordOf(read, hpa);
    const since = trusted(sinceOf(read, hpa, now)) ?? now;
    return { ...read, since, record, isCompleted: isCompleted(read, record) };
  });
  const found = spec.suspend ? undefined : inForceAt(known, at);
  const inForce = found && isCurrent(found, hpa, known, now) ? found : undefined;
  const isResumed = status?.suspended === true && !spec.suspend;
  const isDue = found !== undefined && (isResumed || found.time > (handledUntil ?? Number.NEGATIVE_INFINITY));
  const sinceOfFound = known.find(({ job }) => job === found?.job)?.since ?? now;
  const isMissed = isDue && !inForce && found.time > sinceOfFound;
  const moment = {
    at,
    handledUntil,
    isIdle: spec.suspend === true,
    inForce: found,
    point: pointAt(known, at)?.time,
  };
  const planned = known.map((job) => plannedJob(job, moment));
  return {
    jobs: planned,
    rest,
    at,
    inForce: inForce ?? (isMissed ? found : undefined),
    isDue: isDue && (inForce !== undefined || isMissed),
    isMissed,
    handledUntil,
  };
}

/** The starting deadline of a run, in milliseconds. */
export function deadlineOf({ spec }: Hpa): number {
  const { startingDeadlineSeconds = Number.POSITIVE_INFINITY, catchUpPolicy } = spec;
  const seconds =
    catchUpPolicy === "None" ? Math.min(startingDeadlineSeconds, promptSeconds) : startingDeadlineSeconds;
  return seconds * 1_000;
}

/** True when a run was carried out, or still may be. A window is in force for as long as it lasts. */
function isCurrent(
  { time, job, isWindow }: InForce,
  hpa: Hpa,
  known: readonly KnownJob[],
  now: number,
): boolean {
  if (isWindow || !job) return true;
  const point = pointAt(known, Math.max(now, time));
  const { record, since = now } = known.find((each) => each.job === job) ?? {};
  if (point?.job === job && record?.lastRun === shown(point.time)) return record.lastResult !== "Missed";
  if (hpa.spec.catchUpPolicy === "None" && time <= since) return false;
  return now - time <= deadlineOf(hpa);
}

interface Moment {
  readonly at: number;
  readonly handledUntil: number | undefined;
  readonly isIdle: boolean;
  readonly inForce: InForce | undefined;
  /** The time when a schedule was last due. */
  readonly point: number | undefined;
}

function plannedJob(job: KnownJob, { at, handledUntil, isIdle, inForce, point }: Moment): PlannedJob {
  const start = Math.max(job.since, handledUntil ?? job.since);
  const nothing = { ...job, passedOver: 0, wasDue: false, isSuperseded: false };
  if (isIdle || job.isCompleted) return nothing;
  const due = countRuns(job, start, at);
  if (due === 0) return nothing;
  if (job.ends) {
    const window = latestWindow(job, at);
    const isOpen = window !== undefined && window.end > at;
    return { ...job, passedOver: due - (isOpen ? 1 : 0), wasDue: true, isSuperseded: false };
  }
  const isLatest = latestPoint(job, at) === point;
  return {
    ...job,
    passedOver: due - (isLatest ? 1 : 0),
    wasDue: true,
    isSuperseded: isLatest && inForce?.job !== job.job,
  };
}

/** Whole seconds, as status has them. */
export const shown = (time: number): string => `${new Date(time).toISOString().slice(0, 19)}Z`;

export function instantOf(text: string | undefined): number | undefined {
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/** The recorded status of a job, if it is about this very schedule. */
function recordOf({ job, timeZone, text, starts }: ReadJob, { status }: Hpa): JobStatus | undefined {
  if (!starts) return undefined;
  return status?.jobs?.find(
    (each) =>
      each.name === job.name &&
      each.schedule === text &&
      each.timeZone === timeZone &&
      each.since !== undefined,
  );
}

/** From when on runs of a job are counted: the object's beginning, or when the job came into it or was resumed. */
function sinceOf(read: ReadJob, hpa: Hpa, now: number): number | undefined {
  const { metadata, status, spec } = hpa;
  if (status?.suspended && !spec.suspend) return now;
  if (!status?.jobs) return instantOf(metadata.creationTimestamp);
  return instantOf(recordOf(read, hpa)?.since) ?? now;
}

/** A run that was missed or superseded had no effect, so a job that runs once still has its run to come. */
function isCompleted({ job }: ReadJob, record: JobStatus | undefined): boolean {
  const hadEffect = record?.lastResult === "Scaled" || record?.lastResult === "Unchanged";
  return job.runOnce === true && record?.lastRun !== undefined && hadEffect;
}

function countRuns({ starts }: ReadJob, start: number, now: number): number {
  let count = 0;
  for (
    let time = starts?.next(start);
    time !== undefined && time <= now && count < maxCounted;
    time = starts?.next(time)
  )
    count += 1;
  return count;
}
