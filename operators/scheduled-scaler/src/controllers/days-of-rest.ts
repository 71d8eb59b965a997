// The days a timetable rests on: its own, and those of the calendars it names.
import { type DayTest, exclusionWarning, parseExclusion } from "@kubewright/runtime/schedule";
import type { HolidayCalendar } from "../api/v1/holiday-calendar.js";
import type { Hpa } from "../api/v1/hpa.js";
import { attempt } from "./jobs.js";

/** Days of rest, parsed. One that cannot be parsed does not affect the others. */
export interface DaysOfRest {
  readonly tests: readonly DayTest[];
  readonly problems: readonly RestProblem[];
  readonly warnings: readonly RestProblem[];
}

/** A validation error: its field and its message. */
export interface RestProblem {
  /** `excludeDates[0]`, or `calendars[0]`. */
  readonly field: string;
  readonly value: string;
  readonly message: string;
}

/** Reads texts such as `2026-12-24..2026-12-26`. */
export function readDates(dates: readonly string[], field: string): DaysOfRest {
  const tests: DayTest[] = [];
  const problems: RestProblem[] = [];
  const warnings: RestProblem[] = [];
  for (const [index, value] of dates.entries()) {
    const place = { field: `${field}[${index}]`, value };
    const read = attempt(() => parseExclusion(value));
    if (typeof read === "string") problems.push({ ...place, message: read });
    else tests.push(read);
    const warning = typeof read === "string" ? undefined : exclusionWarning(value);
    if (warning !== undefined) warnings.push({ ...place, message: warning });
  }
  return { tests, problems, warnings };
}

/** All days of rest of a timetable. `calendars` are those that were found, by name. */
export function daysOfRest({ spec }: Hpa, calendars: ReadonlyMap<string, HolidayCalendar>): DaysOfRest {
  const own = readDates(spec.excludeDates ?? [], "excludeDates");
  const shared = (spec.calendars ?? []).map((name, index): DaysOfRest => {
    const place = { field: `calendars[${index}]`, value: name };
    const calendar = calendars.get(name);
    if (!calendar)
      return {
        tests: [],
        warnings: [],
        problems: [{ ...place, message: `there is no HolidayCalendar ${name}` }],
      };
    const { tests, problems } = readDates(calendar.spec.dates, "dates");
    const reported = problems.map(({ field, message }) => ({
      ...place,
      message: `HolidayCalendar ${name}: ${field}: ${message}`,
    }));
    return { tests, problems: reported, warnings: [] };
  });
  const all = [own, ...shared];
  return {
    tests: all.flatMap(({ tests }) => tests),
    problems: all.flatMap(({ problems }) => problems),
    warnings: all.flatMap(({ warnings }) => warnings),
  };
}
