// Which run of a CronTab is due, as a pure function of the object, its runs and the clock.
import type { Job } from "@kubewright/api";
import type { Schedule } from "@kubewright/runtime/schedule";
import type { CronTab } from "../api/v1/cron-tab.js";
import { dueAt } from "./runs.js";

/** What is due. */
export interface Due {
  /** The run to start. */
  readonly time: number | undefined;
  /** Everything due up to here has been dealt with, once that run has. */
  readonly handledUntil: number | undefined;
  /** Runs that were due and will not be started. */
  readonly missed: number;
  /** From when on to look for the next one. */
  readonly after: number;
}

/** A record further ahead than this is one of a wrong clock. */
const maxAhead = 5 * 60_000;
const maxCounted = 1_000;
export const usualDeadlineSeconds = 60;

export function dueOf(cronTab: CronTab, jobs: readonly Job[], schedule: Schedule, now: number): Due {
  const { spec } = cronTab;
  const deadline = (spec.startingDeadlineSeconds ?? usualDeadlineSeconds) * 1_000;
  const last = lastHandled(cronTab, jobs, now);
  const start = startOf(cronTab, last, now, deadline);
  const latest = schedule.previous(now + 1);
  if (spec.suspend || latest === undefined || latest <= start)
    return { time: undefined, handledUntil: last, missed: 0, after: Math.max(now, start) };
  const isInTime = now - latest <= deadline;
  const missed = countBetween(schedule, start, now) - (isInTime ? 1 : 0);
  return { time: isInTime ? latest : undefined, handledUntil: latest, missed, after: now };
}

/**
 * The latest run that was dealt with, by status where there is one, and by the runs themselves. After a clock was set back, runs
 * may be from what is now the future: they say nothing, and a status that says so means that all is dealt with up to now.
 */
function lastHandled({ status }: CronTab, jobs: readonly Job[], now: number): number | undefined {
  const said = Date.parse(status?.lastScheduleTime ?? "");
  const isBelieved = (time: number): boolean => time <= now + maxAhead;
  const times = [said > now + maxAhead ? now : said, ...jobs.map((job) => dueAt(job) ?? Number.NaN)];
  const believed = times.filter(isBelieved);
  return believed.length === 0 ? undefined : Math.max(...believed);
}

/** Nothing due before this is looked at. Where nothing is known of the past, not even that there is none, the deadline bounds it. */
function startOf(
  { metadata, spec, status }: CronTab,
  last: number | undefined,
  now: number,
  deadline: number,
): number {
  if (status?.suspended && !spec.suspend) return now;
  const created = Date.parse(metadata.creationTimestamp ?? "") || now;
  const known = last ?? now - deadline;
  if (created > now + maxAhead) return known;
  return last === undefined && status ? created : Math.max(created, known);
}

function countBetween(schedule: Schedule, start: number, now: number): number {
  let count = 0;
  for (
    let time = schedule.next(start);
    time !== undefined && time <= now && count < maxCounted;
    time = schedule.next(time)
  )
    count += 1;
  return count;
}
