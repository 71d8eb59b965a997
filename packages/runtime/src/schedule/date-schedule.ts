// A single moment.
import type { Piece } from "./field.js";
import type { Schedule } from "./schedule.js";
import { ScheduleError } from "./schedule-error.js";
import type { TimeZone } from "./time-zone.js";

const pattern = /^(\d{4})-(\d{2})-(\d{2})(?:[T ]+(\d{2}):(\d{2})(?::(\d{2}))?)?$/;

export class DateSchedule implements Schedule {
  readonly #at: number;

  constructor(at: number) {
    this.#at = at;
  }

  next(after: number): number | undefined {
    return after < this.#at ? this.#at : undefined;
  }

  previous(before: number): number | undefined {
    return before > this.#at ? this.#at : undefined;
  }
}

/** Reads `2026-12-24 18:00` as the moment clocks in the zone show it, for the first time. */
export function parseMoment(piece: Piece, zone: TimeZone): number {
  return zone.instant(parseLocal(piece));
}

/** Reads a date, with or without a time of day, as local time. */
export function parseLocal({ text, position }: Piece): number {
  const match = pattern.exec(text);
  if (!match)
    throw new ScheduleError(`"${text}" is no date; it takes one such as 2026-12-24 18:00`, position);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map((digits) => Number(digits ?? 0));
  const local = Date.UTC(year, month - 1, day, hour, minute, second);
  const back = new Date(local).toISOString();
  if (hour < 24 && minute < 60 && second < 60 && back.startsWith(text.slice(0, 10))) return local;
  throw new ScheduleError(`"${text}" never comes: there is no such day or time`, position);
}
