// Local time in a time zone, and its daylight-saving changes. `Intl` knows; asking it costs microseconds, so what
// it says is kept by week: most weeks have one offset, and a few have a change.
import { ScheduleError } from "./schedule-error.js";

/** A stretch of time with one offset, from its start up to its end. It may go on beyond both; nothing is said of that. */
export interface Stretch {
  /** The UTC offset, in milliseconds. */
  readonly offset: number;
  readonly start: number;
  readonly end: number;
}

/** A moment at which clocks are changed. */
export interface ClockChange {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

interface Week {
  readonly offset: number;
  readonly change: ClockChange | undefined;
}

const weekLength = 7 * 86_400_000;
const dayLength = 86_400_000;
const maxWeeks = 2_000;
/** Local time is never further from UTC than this. */
const furthest = 15 * 3_600_000;

const always: Stretch = {
  offset: 0,
  start: Number.NEGATIVE_INFINITY,
  end: Number.POSITIVE_INFINITY,
};

/** A time zone: converts between instants and local times, across changes of daylight saving time. */
export class TimeZone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat | undefined;
  readonly #weeks = new Map<number, Week>();

  /** Throws a ScheduleError for an unknown zone. */
  constructor(name: string) {
    this.name = name;
    this.#format = name === "UTC" ? undefined : formatFor(name);
  }

  /** An instant in local time: milliseconds since 1970 as a clock there would count them. */
  local(time: number): number {
    return time + this.stretch(time).offset;
  }

  /** The stretch an instant lies in. */
  stretch(time: number): Stretch {
    if (!this.#format) return always;
    const index = Math.floor(time / weekLength);
    const { offset, change } = this.#week(index);
    const start = index * weekLength;
    const end = start + weekLength;
    if (!change) return { offset, start, end };
    return time < change.at
      ? { offset, start, end: change.at }
      : { offset: change.after, start: change.at, end };
  }

  /** The first instant at which clocks show a local time, or have gone past it when they never show it. */
  instant(local: number): number {
    const before = this.stretch(local - furthest).offset;
    const after = this.stretch(local + furthest).offset;
    if (before === after) return local - before;
    if (this.local(local - before) === local) return local - before;
    if (this.local(local - after) === local) return local - after;
    return this.#changeBetween(local - furthest, local + furthest)?.at ?? local - after;
  }

  /** The change by which clocks were put back less than a day before, if local times since then are still repeats. */
  repeating(time: number): ClockChange | undefined {
    if (!this.#format) return undefined;
    const { offset } = this.stretch(time);
    if (this.stretch(time - dayLength).offset <= offset) return undefined;
    const change = this.#changeBetween(time - dayLength, time);
    return change && time + offset < change.at + change.before ? change : undefined;
  }

  #changeBetween(from: number, to: number): ClockChange | undefined {
    for (let index = Math.floor(from / weekLength); index * weekLength <= to; index++) {
      const { change } = this.#week(index);
      if (change && change.at > from && change.at <= to) return change;
    }
    return undefined;
  }

  #week(index: number): Week {
    const known = this.#weeks.get(index);
    if (known) return known;
    const from = index * weekLength;
    const before = this.#ask(from);
    const after = this.#ask(from + weekLength);
    const change = before === after ? undefined : { at: this.#find(from, before), before, after };
    const week = { offset: before, change };
    if (this.#weeks.size >= maxWeeks) this.#weeks.clear();
    this.#weeks.set(index, week);
    return week;
  }

  /** The second at which the offset is no longer the one of the week's beginning. */
  #find(from: number, before: number): number {
    let [low, high] = [from / 1000, (from + weekLength) / 1000];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#ask(middle * 1000) === before) low = middle;
      else high = middle;
    }
    return high * 1000;
  }

  #ask(time: number): number {
    const part: Record<string, number> = {};
    for (const { type, value } of this.#format?.formatToParts(time) ?? []) part[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
    return Date.UTC(year, month - 1, day, hour, minute, second) - time;
  }
}

function formatFor(timeZone: string): Intl.DateTimeFormat {
  const numeric = "numeric";
  const fields = {
    year: numeric,
    month: numeric,
    day: numeric,
    hour: numeric,
    minute: numeric,
    second: numeric,
  } as const;
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone, hourCycle: "h23", ...fields });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ScheduleError(`there is no time zone "${timeZone}"; zones have names such as Europe/Berlin`);
  }
}
