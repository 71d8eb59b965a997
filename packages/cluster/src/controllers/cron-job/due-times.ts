// The run of a CronJob that is due, and the time of the next one.
import type { CronJob } from "@kubewright/api";
import type { Schedule } from "./schedule.js";

export interface DueTimes {
  /** The latest time that has come and was not used. */
  readonly due: number | undefined;
  readonly next: number | undefined;
  /** About how many times have come and were not used. */
  readonly missed: number;
}

/** Times further back than this many are not looked at one by one; so many missed ones are worth a warning. */
export const maxMissedTimes = 100;

/** Looks from the last run, or from when the object was made, but no further back than the starting deadline. */
export function dueTimes({ metadata, spec, status }: CronJob, schedule: Schedule, now: number): DueTimes {
  const last = Date.parse(status?.lastScheduleTime ?? metadata?.creationTimestamp ?? "");
  const deadline = spec?.startingDeadlineSeconds;
  const from = Math.max(last, deadline === undefined ? 0 : now - deadline * 1000 - 1);
  let due: number | undefined;
  let next = schedule.after(from);
  let missed = 0;
  while (next !== undefined && next <= now) {
    due = next;
    const gap = (schedule.after(next) ?? now) - next;
    // After a long sleep only the latest time counts: jump most of the way.
    const jumps = missed < maxMissedTimes ? 0 : Math.max(0, Math.floor((now - next) / gap) - 2);
    missed += jumps + 1;
    next = schedule.after(next + jumps * gap);
  }
  return { due, next, missed };
}
