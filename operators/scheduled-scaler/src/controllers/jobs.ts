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
  /** What is wrong with it; nothing when it can run. */
  readonly problems: readonly JobProblem[];
}

/** Which field of a job is wrong, and how. */
export interface JobProblem {
  readonly field: "name" | "schedule" | "timeZone";
  readonly message: string;
}

/** An excluded day that is none. */
export interface ExclusionProblem {
  readonly index: number;
  readonly message: string;
}

/** What a timetable says, read. One wrong job or day says nothing about the others. */
export interface ReadTimetable {
  readonly jobs: readonly ReadJob[];
  /** What is wrong with the zone of the whole. */
  readonly timeZoneProblem: string | undefined;
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
    const zone = attempt(() => schedules.zone(timeZone));
    const schedule = attempt(() =>
      schedules.parse(job.schedule, typeof zone === "string" ? {} : { timeZone, anchor }),
    );
    const problems: JobProblem[] = [];
    if (taken.has(job.name))
      problems.push({ field: "name", message: `an earlier job is called ${job.name}` });
    if (typeof zone === "string") problems.push({ field: "timeZone", message: zone });
    if (typeof schedule === "string") problems.push({ field: "schedule", message: schedule });
    taken.add(job.name);
    if (typeof zone === "string" || typeof schedule === "string" || problems.length > 0)
      return { job, timeZone, schedule: undefined, problems };
    return { job, timeZone, schedule: withoutDays(schedule, excluded, zone), problems };
  });
  const ownZone = attempt(() => schedules.zone(spec.timeZone ?? "UTC"));
  return { jobs, timeZoneProblem: typeof ownZone === "string" ? ownZone : undefined, exclusionProblems };
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
