// The due run of a CronTab, as a pure function of the object, its runs and the clock.
import type { Job } from "@kubewright/api";
import type { Schedule } from "@kubewright/runtime/schedule";
import type { CronTab } from "../api/v1/cron-tab.js";
import { dueAt } from "./runs.js";

/** The run that is due. */
export interface Due {
  /** The run to start. */
  readonly time: number | undefined;
  /** Everything due up to here has been dealt with, whatever becomes of that run. */
  readonly handledBefore: number | undefined;
  /** Everything due up to here has been dealt with, once that run has. */
  readonly handledUntil: number | undefined;
  /** Runs that were due and will not be started. */
  readonly missed: number;
  /** Further runs are due after this one. */
  readonly hasMore: boolean;
  /** From when on to look for the next one. */
  readonly after: number;
}

/** A record further ahead than this is one of a wrong clock. */
const maxAhead = 5 * 60_000;
/** More missed runs than this are not counted at a time. */
const maxCounted = 1_000;
/** With catchUpPolicy All, so many runs are made up for at most. */
const maxQueued = 100;
/** Without a record of the past, a run that was due longer ago than this is not started. */
const unknownPast = 60_000;

export function dueOf(cronTab: CronTab, jobs: readonly Job[], schedule: Schedule, now: number): Due {
  const { spec } = cronTab;
  const deadline = (spec.startingDeadlineSeconds ?? Number.POSITIVE_INFINITY) * 1_000;
  const last = lastHandled(cronTab, jobs, now);
  const start = startOf(cronTab, last, now, deadline);
  const latest = schedule.previous(now + 1);
  if (spec.suspend || latest === undefined || latest <= start)
    return {
      time: undefined,
      handledBefore: last,
      handledUntil: last,
      missed: 0,
      hasMore: false,
      after: Math.max(now, start),
    };
  const isQueue = spec.catchUpPolicy === "All" && spec.concurrencyPolicy !== "Replace";
  const { times, count } = timesBetween(schedule, start, now, isQueue ? maxQueued : 1);
  const inTime = times.filter((time) => now - time <= deadline);
  const [time] = inTime;
  const missed = count - inTime.length;
  return {
    time,
    // Missed runs are counted now, so they are handled also when the run itself is refused.
    handledBefore: missed > 0 && time !== undefined ? schedule.previous(time) : last,
    handledUntil: time ?? latest,
    missed,
    hasMore: inTime.length > 1,
    after: now,
  };
}

/**
 * The latest run that was dealt with, by status where there is one, and by the runs themselves. After a clock was set back, runs
 * may be from what is now the future: they are ignored, and a status from the future means that all is dealt with up to now.
 */
function lastHandled({ status }: CronTab, jobs: readonly Job[], now: number): number | undefined {
  const said = Date.parse(status?.handledUntil ?? status?.lastScheduleTime ?? "");
  const times = [said > now + maxAhead ? now : said, ...jobs.map((job) => dueAt(job) ?? Number.NaN)];
  const trusted = times.filter((time) => time <= now + maxAhead);
  return trusted.length === 0 ? undefined : Math.max(...trusted);
}

/** Nothing due before this is looked at. */
function startOf(
  { metadata, spec, status }: CronTab,
  last: number | undefined,
  now: number,
  deadline: number,
): number {
  if (status?.suspended && !spec.suspend) return now;
  const created = Date.parse(metadata.creationTimestamp ?? "") || now;
  const known = last ?? now - Math.min(deadline, unknownPast);
  if (created > now + maxAhead) return known;
  return last === undefined && status ? created : Math.max(created, known);
}

/** The last so many times of a schedule between two moments, and how many there are. */
function timesBetween(schedule: Schedule, start: number, now: number, kept: number) {
  const times: number[] = [];
  let count = 0;
  for (
    let time = schedule.previous(now + 1);
    time !== undefined && time > start && count < maxCounted;
    time = schedule.previous(time)
  ) {
    count += 1;
    if (times.length < kept) times.unshift(time);
  }
  return { times, count };
}
