// The jobs of a timetable, each with its schedule or with what is wrong with it.
import {
  type DayTest,
  type Schedule,
  ScheduleError,
  type Schedules,
  type TimeZone,
  withoutDays,
} from "@kubewright/runtime/schedule";
import type { Hpa, Job } from "../api/v1/hpa.js";

/** A job that can run, or one that cannot and why. */
export interface ReadJob {
  readonly job: Job;
  /** Its schedule, or start and end, as status shows it. */
  readonly text: string;
  readonly timeZone: string;
  /** The time when it begins to be in force, without days of rest; undefined when something is wrong with it. */
  readonly starts: Schedule | undefined;
  /** The time when a window ends. */
  readonly ends: Schedule | undefined;
  /** Its one date was over, or its days are all days of rest. */
  readonly neverComes: "excluded" | "past" | undefined;
  /** Validation errors of the job; empty when it can run. */
  readonly problems: readonly JobProblem[];
}

/** A validation error of a job: its field and its message. */
export interface JobProblem {
  readonly field: "name" | "schedule" | "start" | "end" | "timeZone";
  readonly message: string;
}

/** A parsed timetable. An invalid job does not affect the others. */
export interface ReadTimetable {
  readonly jobs: readonly ReadJob[];
  /** Validation errors of the time zone of the whole timetable. */
  readonly timeZoneProblem: string | undefined;
}

/** Reads a timetable with the days of rest that were read for it. */
export function readTimetable(
  { metadata, spec }: Hpa,
  schedules: Schedules,
  rest: readonly DayTest[],
  now: number,
): ReadTimetable {
  const anchor = Date.parse(metadata.creationTimestamp ?? "") || 0;
  const taken = new Set<string>();
  const jobs = spec.jobs.map((job): ReadJob => {
    const timeZone = job.timeZone ?? spec.timeZone ?? "UTC";
    const zone = attempt(() => schedules.zone(timeZone));
    const options = typeof zone === "string" ? {} : { timeZone, anchor };
    const problems: JobProblem[] = [];
    if (taken.has(job.name))
      problems.push({ field: "name", message: `an earlier job is called ${job.name}` });
    taken.add(job.name);
    if (typeof zone === "string") problems.push({ field: "timeZone", message: zone });
    const read = (field: "schedule" | "start" | "end"): Schedule | undefined => {
      const found = attempt(() => schedules.parse(job[field] ?? "", options));
      if (typeof found !== "string") return found;
      problems.push({ field, message: found });
      return undefined;
    };
    const isWindow = job.start !== undefined;
    const starts = read(isWindow ? "start" : "schedule");
    const ends = isWindow ? read("end") : undefined;
    const about = { job, timeZone, text: textOf(job), problems };
    if (!starts || typeof zone === "string" || problems.length > 0)
      return { ...about, starts: undefined, ends: undefined, neverComes: undefined };
    const open = withoutDays(starts, rest, zone);
    return { ...about, starts: open, ends, neverComes: never(job, starts, open, ends, now) };
  });
  const ownZone = attempt<TimeZone>(() => schedules.zone(spec.timeZone ?? "UTC"));
  return { jobs, timeZoneProblem: typeof ownZone === "string" ? ownZone : undefined };
}

/** The times of a job, as text. */
export function textOf({ schedule = "", start, end }: Job): string {
  return start === undefined ? schedule : `${start} – ${end}`;
}

/** A job that has one moment, in the past of which nothing is made up for. */
export function isOneOff({ schedule = "", runOnce }: Job): boolean {
  return runOnce === true || schedule.startsWith("@date");
}

function never(
  job: Job,
  starts: Schedule,
  open: Schedule,
  ends: Schedule | undefined,
  now: number,
): ReadJob["neverComes"] {
  if (open.next(now) !== undefined) return undefined;
  if (starts.next(now) !== undefined) return "excluded";
  const isUnderWay = ends?.next(now) !== undefined && open.previous(now + 1) !== undefined;
  return (job.start ?? job.schedule ?? "").startsWith("@date") && !isUnderWay ? "past" : undefined;
}

/** The parsed value, or the parse error. */
export function attempt<T extends object>(read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    return error.message;
  }
}
