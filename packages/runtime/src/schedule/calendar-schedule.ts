// Times of the calendar in a zone, found by arithmetic on fields, never by stepping through minutes.
//
// Where clocks are changed:
// - A schedule for certain hours is due once for each of its local times. A time that does not exist is due at the moment
//   the clocks are put forward; several of them, and one that is due then anyway, are one. A time that exists twice
//   is due the first time.
// - A schedule for every hour follows real time: what does not exist is not due, what exists twice is due twice.
import type { Days } from "./days.js";
import type { Schedule } from "./schedule.js";
import type { TimeOfDay } from "./time-of-day.js";
import type { TimeZone } from "./time-zone.js";

const second = 1_000;
const dayLength = 86_400_000;

export class CalendarSchedule implements Schedule {
  readonly #time: TimeOfDay;
  readonly #days: Days;
  readonly #zone: TimeZone;

  constructor(time: TimeOfDay, days: Days, zone: TimeZone) {
    this.#time = time;
    this.#days = days;
    this.#zone = zone;
  }

  next(after: number): number | undefined {
    return this.#time.isEveryHour ? this.#nextInRealTime(after) : this.#nextOnTheWall(after);
  }

  previous(before: number): number | undefined {
    return this.#time.isEveryHour ? this.#previousInRealTime(before) : this.#previousOnTheWall(before);
  }

  #nextOnTheWall(after: number): number | undefined {
    const repeating = this.#zone.repeating(after);
    const start = repeating
      ? repeating.at + repeating.before
      : (Math.floor(this.#zone.local(after) / second) + 1) * second;
    const local = this.#localFrom(start);
    return local === undefined ? undefined : this.#zone.instant(local);
  }

  #previousOnTheWall(before: number): number | undefined {
    const latest = before - 1;
    const repeating = this.#zone.repeating(latest);
    const local = this.#localUpTo(
      repeating ? repeating.at + repeating.before - second : this.#zone.local(latest),
    );
    return local === undefined ? undefined : this.#zone.instant(local);
  }

  #nextInRealTime(after: number): number | undefined {
    let from = (Math.floor(after / second) + 1) * second;
    for (;;) {
      const { offset, end } = this.#zone.stretch(from);
      const local = this.#localFrom(from + offset);
      if (local === undefined) return undefined;
      if (local - offset < end) return local - offset;
      from = end;
    }
  }

  #previousInRealTime(before: number): number | undefined {
    let latest = before - 1;
    for (;;) {
      const { offset, start } = this.#zone.stretch(latest);
      const local = this.#localUpTo(latest + offset);
      if (local === undefined) return undefined;
      if (local - offset >= start) return local - offset;
      latest = start - 1;
    }
  }

  /** The first local time meant from this one on. */
  #localFrom(local: number): number | undefined {
    const day = Math.floor(local / dayLength);
    if (this.#days.has(day)) {
      const time = this.#time.from(Math.ceil((local - day * dayLength) / second));
      if (time !== undefined) return day * dayLength + time * second;
    }
    const next = this.#days.from(day + 1);
    return next === undefined ? undefined : next * dayLength + this.#time.first * second;
  }

  /** The last local time meant up to this one. */
  #localUpTo(local: number): number | undefined {
    const day = Math.floor(local / dayLength);
    if (this.#days.has(day)) {
      const time = this.#time.upTo(Math.floor((local - day * dayLength) / second));
      if (time !== undefined) return day * dayLength + time * second;
    }
    const previous = this.#days.upTo(day - 1);
    return previous === undefined ? undefined : previous * dayLength + this.#time.last * second;
  }
}
