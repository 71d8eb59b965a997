// The code of docs/guides/schedule.md.
import { parseExclusion, ScheduleError, Schedules, withoutDays } from "@kubewright/runtime/schedule";

export function lunches(now: number): readonly (number | undefined)[] {
  const schedules = new Schedules(); // keep one: it caches what it has parsed
  const lunch = schedules.parse("0 12 * * MON-FRI", { timeZone: "Asia/Shanghai" });
  const next = lunch.next(now); // the first time after now, in milliseconds since 1970
  const last = lunch.previous(now); // the last time before now
  return [next, last];
}

export function workingLunch(now: number): number | undefined {
  const schedules = new Schedules();
  const zone = schedules.zone("Europe/Berlin");
  const holidays = ["2026-12-24..2026-12-26", "* * 1 1 *"].map(parseExclusion);
  const lunch = withoutDays(schedules.parse("0 12 * * MON-FRI", { timeZone: zone.name }), holidays, zone);
  return lunch.next(now);
}

export function problemOf(text: string): string | undefined {
  try {
    new Schedules().parse(text);
    return undefined;
  } catch (error) {
    if (error instanceof ScheduleError) return error.message;
    throw error;
  }
}
