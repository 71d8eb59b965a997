// The run times of a CronJob's schedule. The parser is the one the API server validates schedules with. The runtime's own
// schedules understand more than Kubernetes does, and differ in nights in which clocks change: here a time that does not exist
// is left out, and a time that exists twice comes twice.
import { type CronCalendar, type CronSchedule, parseCronSchedule } from "@kubewright/api";
import { ScheduleError, TimeZone } from "@kubewright/runtime/schedule";

const second = 1000;
const minute = 60 * second;
const day = 24 * 60 * minute;
/** A schedule that does not come until the end of the fifth year from now never comes, as far as Kubernetes is concerned. */
const horizonInYears = 5;

/** A compiled schedule. */
export interface Schedule {
  /** The first time after the given one, in milliseconds since 1970; undefined when there is none. */
  after(time: number): number | undefined;
}

/** Throws a CronSyntaxError for what is no schedule, and a RangeError for an unknown time zone. */
export function parseSchedule(text: string, timeZone: string | undefined): Schedule {
  const parsed = parseCronSchedule(text);
  return parsed.kind === "every"
    ? new Interval(parsed.seconds)
    : new Calendar(parsed, zoneOf(parsed, timeZone));
}

function zoneOf(schedule: CronSchedule, timeZone = "UTC"): TimeZone {
  // A zone in the schedule itself is tolerated where it has been for long.
  const name = (schedule.kind === "calendar" ? schedule.zone : undefined) ?? timeZone;
  try {
    return new TimeZone(name === "" ? "UTC" : name);
  } catch (error) {
    throw error instanceof ScheduleError ? new RangeError(error.message) : error;
  }
}

/** Again and again after the same time, in whole seconds. */
class Interval implements Schedule {
  readonly #delay: number;

  constructor(seconds: number) {
    this.#delay = seconds * second;
  }

  after(time: number): number {
    return Math.floor(time / second) * second + this.#delay;
  }
}

class Calendar implements Schedule {
  readonly #schedule: CronCalendar;
  readonly #zone: TimeZone;

  constructor(schedule: CronCalendar, zone: TimeZone) {
    this.#schedule = schedule;
    this.#zone = zone;
  }

  after(time: number): number | undefined {
    let from = (Math.floor(time / second) + 1) * second;
    const lastYear = new Date(this.#zone.local(from)).getUTCFullYear() + horizonInYears;
    for (;;) {
      const { offset, end } = this.#zone.stretch(from);
      const local = this.#localFrom(from + offset, lastYear);
      if (local === undefined) return undefined;
      if (local - offset < end) return local - offset;
      from = end;
    }
  }

  /** The first local time meant from this one on. */
  #localFrom(local: number, lastYear: number): number | undefined {
    const first = Math.floor(local / day) * day;
    for (let date = first; new Date(date).getUTCFullYear() <= lastYear; date += day) {
      if (!this.#isDay(new Date(date))) continue;
      const time = this.#timeFrom(date === first ? Math.ceil((local - first) / minute) : 0);
      if (time !== undefined) return date + time * minute;
    }
    return undefined;
  }

  #isDay(date: Date): boolean {
    const { days, months, weekdays, needsBothDays } = this.#schedule;
    if (!months.has(date.getUTCMonth() + 1)) return false;
    const isDay = days.has(date.getUTCDate());
    const isWeekday = weekdays.has(date.getUTCDay());
    return needsBothDays ? isDay && isWeekday : isDay || isWeekday;
  }

  /** The first minute of the day that is meant from this one on. */
  #timeFrom(least: number): number | undefined {
    const { hours, minutes } = this.#schedule;
    for (let time = least; time < 24 * 60; time++) {
      if (!hours.has(Math.floor(time / 60))) time += 59 - (time % 60);
      else if (minutes.has(time % 60)) return time;
    }
    return undefined;
  }
}
