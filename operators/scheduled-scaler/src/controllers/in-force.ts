// The job that is in force at a moment, as a pure function of the jobs: between runs a timetable means the size of the latest one.
import type { Job, JobStatus } from "../api/v1/hpa.js";
import { isOneOff, type ReadJob } from "./jobs.js";

/** A job with what is known of its past. */
export interface KnownJob extends ReadJob {
  /** Missed runs are counted from here; a job with one moment has none before. */
  readonly since: number;
  readonly record: JobStatus | undefined;
  readonly isCompleted: boolean;
}

/** The latest moment at which something changed, and what has been in force since. */
export interface InForce {
  readonly time: number;
  /** Undefined when a window has ended and no schedule was there before. */
  readonly job: Job | undefined;
  /** The window that ended at that moment. */
  readonly ended: Job | undefined;
  readonly isWindow: boolean;
}

/** The time when a job with a schedule was last due. */
export function latestPoint(known: KnownJob, at: number): number | undefined {
  const { job, starts, isCompleted, record, since } = known;
  if (!starts || known.ends) return undefined;
  if (isCompleted) return lastRunOf(record);
  const time = starts.previous(at + 1);
  if (time === undefined || !isOneOff(job)) return time;
  const wasSuperseded = record?.lastResult === "Superseded" && Date.parse(record.lastRun ?? "") === time;
  return time <= since || wasSuperseded ? undefined : time;
}

/** Undefined for a job whose only run is being handled: its record has no run yet. */
function lastRunOf(record: JobStatus | undefined): number | undefined {
  return record?.lastRun === undefined ? undefined : Date.parse(record.lastRun);
}

/** The latest window of a job that has begun. */
export function latestWindow(
  { starts, ends, isCompleted, record }: KnownJob,
  at: number,
): { readonly start: number; readonly end: number } | undefined {
  if (!starts || !ends) return undefined;
  const start = isCompleted ? lastRunOf(record) : starts.previous(at + 1);
  return start === undefined ? undefined : { start, end: ends.next(start) ?? Number.POSITIVE_INFINITY };
}

/** Of jobs due at the same moment the last in the list counts. */
export function inForceAt(jobs: readonly KnownJob[], at: number): InForce | undefined {
  const windows = jobs.flatMap((known) => {
    const window = latestWindow(known, at);
    return window ? [{ job: known.job, ...window }] : [];
  });
  const open = latestBy(
    windows.filter(({ end }) => end > at),
    ({ start }) => start,
  );
  if (open) return { time: open.start, job: open.job, ended: undefined, isWindow: true };
  const closed = latestBy(windows, ({ end }) => end);
  const point = pointAt(jobs, at);
  if (closed && closed.end > (point?.time ?? Number.NEGATIVE_INFINITY))
    return { time: closed.end, job: point?.job, ended: closed.job, isWindow: false };
  return point && { ...point, ended: undefined, isWindow: false };
}

/** The latest run of a schedule, whatever windows there are. */
export function pointAt(
  jobs: readonly KnownJob[],
  at: number,
): { readonly time: number; readonly job: Job } | undefined {
  const points = jobs.flatMap((known) => {
    const time = latestPoint(known, at);
    return time === undefined ? [] : [{ time, job: known.job }];
  });
  return latestBy(points, ({ time }) => time);
}

function latestBy<T>(all: readonly T[], time: (each: T) => number): T | undefined {
  return all.reduce<T | undefined>(
    (best, each) => (best && time(best) > time(each) ? best : each),
    undefined,
  );
}
