// Reads schedules and keeps what it has read: thousands of objects share a few zones and a few schedules.
import { readSchedule, type ScheduleOptions } from "./parse-schedule.js";
import type { Schedule } from "./schedule.js";
import { TimeZone } from "./time-zone.js";

const maxKept = 10_000;

/**
 * A reader of schedules.
 *
 * @example
 * const schedules = new Schedules();
 * const lunch = schedules.parse("0 12 * * MON-FRI", { timeZone: "Asia/Shanghai" });
 * lunch.next(Date.now());
 */
export class Schedules {
  readonly #zones = new Map<string, TimeZone>();
  readonly #kept = new Map<string, Schedule>();

  /** Throws a ScheduleError for a text that is no schedule, is never due, or names an unknown time zone. */
  parse(text: string, { timeZone = "UTC", anchor = 0 }: ScheduleOptions = {}): Schedule {
    const zone = this.zone(timeZone);
    const key = `${timeZone} ${text.startsWith("@every") ? anchor : ""} ${text}`;
    const known = this.#kept.get(key);
    if (known) return known;
    const schedule = readSchedule(text, zone, anchor);
    if (this.#kept.size >= maxKept) this.#kept.clear();
    this.#kept.set(key, schedule);
    return schedule;
  }

  /** The zone of a name. Throws a ScheduleError. */
  zone(name: string): TimeZone {
    let zone = this.#zones.get(name);
    if (!zone) {
      zone = new TimeZone(name);
      this.#zones.set(name, zone);
    }
    return zone;
  }
}
