// The jobs of a timetable, each with its schedule or with what is wrong with it.
import {
  parseExclusion,
  type Schedule,
  ScheduleError,
  type Schedules,
  withoutDays,
} from "@kubewright/runtime/schedule";
import type { Hpa, Job } from "../api/v1/hpa.js";

/** A job that can run, or one that cannot and why. */
export interface ReadJob {
  readonly job: Job;
  readonly timeZone: string;
  readonly schedule: Schedule | undefined;
  /** Which field is wrong, below the job's own place. */
  readonly field?: string | undefined;
  readonly problem?: string | undefined;
}

/** An excluded day that is none. */
export interface ExclusionProblem {
  readonly index: number;
  readonly message: string;
}

/** What a timetable says, read. One wrong job or day says nothing about the others. */
export interface ReadTimetable {
  readonly jobs: readonly ReadJob[];
  readonly exclusionProblems: readonly ExclusionProblem[];
}

/** Reads a timetable. */
export function readTimetable({ metadata, spec }: Hpa, schedules: Schedules): ReadTimetable {
  const anchor = Date.parse(metadata.creationTimestamp ?? "") || 0;
  const taken = new Set<string>();
  const excluded: ((day: number) => boolean)[] = [];
  const exclusionProblems: ExclusionProblem[] = [];
  for (const [index, text] of (spec.excludeDates ?? []).entries()) {
    const read = attempt(() => parseExclusion(text));
    if (typeof read === "string") exclusionProblems.push({ index, message: read });
    else excluded.push(read);
  }
  const jobs = spec.jobs.map((job): ReadJob => {
    const timeZone = job.timeZone ?? spec.timeZone ?? "UTC";
    const wrong = (field: string, problem: string): ReadJob => ({
      job,
      timeZone,
      schedule: undefined,
      field,
      problem,
    });
    if (taken.has(job.name)) return wrong("name", `an earlier job is called ${job.name}`);
    taken.add(job.name);
    const zone = attempt(() => schedules.zone(timeZone));
    if (typeof zone === "string") return wrong("timeZone", zone);
    const schedule = attempt(() => schedules.parse(job.schedule, { timeZone, anchor }));
    if (typeof schedule === "string") return wrong("schedule", schedule);
    return { job, timeZone, schedule: withoutDays(schedule, excluded, zone) };
  });
  return { jobs, exclusionProblems };
}

/** What is read, or why it cannot be. */
function attempt<T extends object>(read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    return error.message;
  }
}
