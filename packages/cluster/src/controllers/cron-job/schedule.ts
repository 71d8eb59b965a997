// Cron schedules: five fields, names of months and days, steps, `@daily` and the like, `@every 90m`, and time zones.
import { parseDuration } from "@kubewright/api";

const aliases: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const second = 1000;
const nanosecondsPerSecond = 1_000_000_000n;
const minute = 60 * second;
/** Schedules that never come true, such as the 30th of February, are given up after this many days. */
const horizon = 5 * 366;

interface Field {
  readonly values: ReadonlySet<number>;
  readonly isAny: boolean;
}

/** A wall-clock minute. */
interface Local {
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
}

/** A compiled schedule. */
export interface Schedule {
  /** The first time after the given one, in milliseconds since 1970; undefined when there is none. */
  after(time: number): number | undefined;
}

/** Throws a SyntaxError for what is no schedule, and a RangeError for an unknown time zone. */
export function parseSchedule(text: string, timeZone: string | undefined): Schedule {
  // A zone in the schedule itself is tolerated where it has been for long.
  const [, zone = timeZone, rest = text] = /^(?:CRON_)?TZ=(\S+)\s+(.*)$/.exec(text) ?? [];
  const every = /^@every\s+(.*)$/.exec(rest.trim());
  return every ? new Interval(every[1] ?? "") : new Calendar(rest, zone);
}

/** Again and again after the same time, in whole seconds. */
class Interval implements Schedule {
  readonly #delay: number;

  constructor(text: string) {
    this.#delay = Math.max(1, Number(parseDuration(text) / nanosecondsPerSecond)) * second;
  }

  after(time: number): number {
    return Math.floor(time / second) * second + this.#delay;
  }
}

class Calendar implements Schedule {
  readonly #minutes: Field;
  readonly #hours: Field;
  readonly #days: Field;
  readonly #months: Field;
  readonly #weekdays: Field;
  readonly #local: (time: number) => Local;

  constructor(text: string, timeZone: string | undefined) {
    const fields = (aliases[text.trim()] ?? text).trim().split(/\s+/);
    const [minutes, hours, daysOfMonth, monthsOfYear, weekdays] = fields;
    if (fields.length !== 5 || !minutes || !hours || !daysOfMonth || !monthsOfYear || !weekdays)
      throw new SyntaxError(`"${text}" is no schedule: five fields are needed`);
    this.#minutes = field(minutes, 0, 59);
    this.#hours = field(hours, 0, 23);
    this.#days = field(daysOfMonth, 1, 31);
    this.#months = field(monthsOfYear, 1, 12, months, 1);
    this.#weekdays = field(weekdays, 0, 7, days);
    this.#local = timeZone === undefined || timeZone === "UTC" ? inUtc : inZone(timeZone);
  }

  after(time: number): number | undefined {
    let next = (Math.floor(time / minute) + 1) * minute;
    const end = time + horizon * 24 * 60 * minute;
    while (next < end) {
      const local = this.#local(next);
      if (!this.#isDay(local)) next += (24 * 60 - local.hour * 60 - local.minute) * minute;
      else if (!this.#hours.values.has(local.hour)) next += (60 - local.minute) * minute;
      else if (!this.#minutes.values.has(local.minute)) next += minute;
      else return next;
      // A day of the zone may be longer or shorter than the sum of its hours says: land on its first minute again.
      next = this.#backToDayStart(next, local);
    }
    return undefined;
  }

  #backToDayStart(next: number, before: Local): number {
    const local = this.#local(next);
    return local.day !== before.day && local.hour === 1 && local.minute === 0 ? next - 60 * minute : next;
  }

  /** When both are narrowed, a day of the month or a day of the week will do. */
  #isDay({ month, day, weekday }: Local): boolean {
    if (!this.#months.values.has(month)) return false;
    const isDay = this.#days.values.has(day);
    const isWeekday = this.#weekdays.values.has(weekday) || (weekday === 0 && this.#weekdays.values.has(7));
    return this.#days.isAny || this.#weekdays.isAny ? isDay && isWeekday : isDay || isWeekday;
  }
}

function field(text: string, least: number, most: number, names: readonly string[] = [], offset = 0): Field {
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const [range = "", step] = part.split("/");
    const [first, last] = bounds(range, least, most, names, offset, step !== undefined);
    const by = step === undefined ? 1 : Number(step);
    if (!Number.isInteger(by) || by < 1) throw new SyntaxError(`"${text}": "${step}" is no step`);
    for (let value = first; value <= last; value += by) values.add(value);
  }
  return { values, isAny: text === "*" || text === "?" };
}

function bounds(
  range: string,
  least: number,
  most: number,
  names: readonly string[],
  offset: number,
  hasStep: boolean,
): readonly [number, number] {
  if (range === "*" || range === "?") return [least, most];
  const numbers = range.split("-").map((text) => {
    const named = names.indexOf(text.toLowerCase());
    const number = named === -1 ? Number(text) : named + offset;
    if (text === "" || !Number.isInteger(number) || number < least || number > most)
      throw new SyntaxError(`"${text}" is not between ${least} and ${most}`);
    return number;
  });
  const [first = least, last = hasStep ? most : first] = numbers;
  return [first, last];
}

function inUtc(time: number): Local {
  const date = new Date(time);
  return {
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
  };
}

function inZone(timeZone: string): (time: number) => Local {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    month: "numeric",
    day: "numeric",
    weekday: "short",
    hour: "numeric",
    minute: "numeric",
  });
  return (time) => {
    const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]));
    const number = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
    const weekday = days.indexOf((parts.get("weekday") ?? "").toLowerCase());
    return {
      month: number("month"),
      day: number("day"),
      weekday,
      hour: number("hour"),
      minute: number("minute"),
    };
  };
}
