// Days on which a schedule rests: dates, ranges of dates, and the days of a cron expression.
import { parseLocal } from "./date-schedule.js";
import { Days } from "./days.js";
import type { Schedule } from "./schedule.js";
import { ScheduleError } from "./schedule-error.js";
import type { TimeZone } from "./time-zone.js";

const dayLength = 86_400_000;
/** A schedule that is due on no day for so long is taken to be never due. */
const maxDays = 4_000;

/** True when a day is excluded, counted from 1 January 1970. */
export type DayTest = (day: number) => boolean;

/** Reads `2026-12-25`, `2026-12-24..2026-12-26`, or the days of a cron expression such as `* * 25 12 *`. */
export function parseExclusion(text: string): DayTest {
  const [from = "", to = from, extra] = text.split("..").map((part) => part.trim());
  if (/^\d{4}-\d{2}-\d{2}$/.test(from) && extra === undefined) {
    const first = dayOf(from, 0);
    const last = dayOf(to, text.lastIndexOf(to));
    if (last < first) throw new ScheduleError(`"${text}" ends before it begins`, text.lastIndexOf(to));
    return (day) => day >= first && day <= last;
  }
  const words = [...text.matchAll(/\S+/g)].map((match) => ({ text: match[0], position: match.index }));
  const [days, months, weekdays] = words.slice(-3);
  if ((words.length !== 5 && words.length !== 6) || !days || !months || !weekdays)
    throw new ScheduleError(
      `"${text}" names no days; they are 2026-12-25, 2026-12-24..2026-12-26, or a cron expression of 5 or 6 fields`,
    );
  const meant = new Days(days, months, weekdays);
  return (day) => meant.has(day);
}

/** The part of the text of excluded days that has no effect; undefined when all of it has. Whole days are excluded, never hours. */
export function exclusionWarning(text: string): string | undefined {
  const words = text.trim().split(/\s+/);
  const times = words.length === 5 || words.length === 6 ? words.slice(0, -3) : [];
  if (times.every((word) => /^[*?](?:\/1)?$/.test(word))) return undefined;
  return `"${times.join(" ")}" has no effect: whole days are excluded; write "${[...times.map(() => "*"), ...words.slice(-3)].join(" ")}"`;
}

function dayOf(text: string, position: number): number {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) throw new ScheduleError(`"${text}" is no date`, position);
  return parseLocal({ text, position }) / dayLength;
}

/** The same schedule without what falls on excluded days of a zone. */
export function withoutDays(schedule: Schedule, excluded: readonly DayTest[], zone: TimeZone): Schedule {
  if (excluded.length === 0) return schedule;
  const dayAt = (time: number): number => Math.floor(zone.local(time) / dayLength);
  const isExcluded = (day: number): boolean => excluded.some((test) => test(day));
  return {
    next(after) {
      let found = schedule.next(after);
      for (let tries = 0; found !== undefined && tries < maxDays; tries++) {
        let day = dayAt(found);
        if (!isExcluded(day)) return found;
        for (; isExcluded(day) && tries < maxDays; tries++) day += 1;
        found = schedule.next(zone.instant(day * dayLength) - 1);
      }
      return undefined;
    },
    previous(before) {
      let found = schedule.previous(before);
      for (let tries = 0; found !== undefined && tries < maxDays; tries++) {
        let day = dayAt(found);
        if (!isExcluded(day)) return found;
        for (; isExcluded(day) && tries < maxDays; tries++) day -= 1;
        found = schedule.previous(zone.instant((day + 1) * dayLength));
      }
      return undefined;
    },
  };
}
