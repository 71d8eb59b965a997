import { describe, expect, test } from "vitest";
import { parseExclusion, withoutDays } from "./exclusions.js";
import { type Allowed, dueAmong, minutesOf } from "./fixtures/brute-force.js";
import { Schedules } from "./schedules.js";

const schedules = new Schedules();
const at = (text: string): number => Date.parse(text);
const shown = (time: number | undefined) =>
  time === undefined ? undefined : new Date(time).toISOString().slice(0, 16);
const resting = (text: string, days: readonly string[], timeZone = "UTC") =>
  withoutDays(schedules.parse(text, { timeZone }), days.map(parseExclusion), schedules.zone(timeZone));

describe("excluded days of a schedule", () => {
  test.each([
    [["2026-12-25"], "2026-12-24T13:00:00Z", "2026-12-26T12:00"],
    [["2026-12-24..2026-12-26"], "2026-12-23T13:00:00Z", "2026-12-27T12:00"],
    [["* * 25 12 *", "2026-12-26"], "2026-12-24T13:00:00Z", "2026-12-27T12:00"],
    [["* * * * * SAT,SUN"], "2026-12-25T13:00:00Z", "2026-12-28T12:00"],
    [["* * * * *"], "2026-12-25T13:00:00Z", undefined],
  ])("%j are left out after %s", (days, after, next) => {
    const schedule = resting("0 12 * * *", days);
    expect(shown(schedule.next(at(after)))).toBe(next);
    if (next) expect(shown(schedule.previous(at(`${next}:01Z`)))).toBe(next);
  });

  test("are days of the time zone, and skipped without checking every second", () => {
    const schedule = resting("* * * * * *", ["2026-06-01..2027-05-31"], "Asia/Shanghai");
    expect(shown(schedule.next(at("2026-05-31T15:59:59Z")))).toBe("2027-05-31T16:00");
    expect(shown(schedule.previous(at("2027-05-31T16:00:00Z")))).toBe("2026-05-31T15:59");
  });

  test.each([
    ["2026-02-30", "never comes"],
    ["2026-12-26..2026-12-24", "ends before it begins"],
    ["2026-12-26..soon", '"soon" is no date'],
    ["Christmas", "names no days"],
    ["* * 32 * *", "day of month"],
  ])("%s is refused", (text, message) => {
    expect(() => parseExclusion(text)).toThrow(message);
  });
});

describe("a year", () => {
  type IsDay = Allowed["isDay"];
  const only = (month: number, ...days: readonly number[]): IsDay => {
    return (day, at) => at === month && days.includes(day);
  };
  const either = (...tests: readonly IsDay[]): IsDay => {
    return (...day) => tests.some((test) => test(...day));
  };
  const clockChanges = ["2026-03-08", "2026-03-29", "2026-04-05", "2026-10-04", "2026-10-25", "2026-11-01"];
  /** A daily or hourly schedule, the days written down, the same days written otherwise, and how many runs are left. */
  const table: readonly (readonly [string, readonly string[], IsDay, number])[] = [
    ["30 2 * * *", ["2026-12-25"], only(12, 25), 364],
    ["30 2 * * *", clockChanges, either(only(3, 8, 29), only(4, 5), only(10, 4, 25), only(11, 1)), 359],
    ["0 0 * * *", ["2026-02-27..2026-03-02"], either(only(2, 27, 28), only(3, 1, 2)), 361],
    ["0 23 * * *", ["* * * * SAT,SUN"], (_day, _month, weekday) => weekday % 6 === 0, 261],
    [
      "0 9 * * *",
      ["* * L * *", "* * 1 * *"],
      (day, _month, _weekday, last) => day === 1 || day === last,
      341,
    ],
    [
      "0 9 * * *",
      ["* * * 24-26 12 ?", "2026-12-26..2027-01-06"],
      (day, month) => month === 12 && day >= 24,
      357,
    ],
    ["0 9 * * *", ["2025-12-01..2027-02-01"], () => true, 0],
    // A day of 23 or 25 hours rests as a whole too.
    ["0 * * * *", ["2026-06-01..2026-06-30"], (_day, month) => month === 6, 335 * 24],
    ["0 * * * *", ["* * * * SUN"], (_day, _month, weekday) => weekday === 0, 313 * 24],
  ];
  const hourly = new Set(Array.from({ length: 24 }, (_, hour) => hour));

  test.each(["Asia/Shanghai", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"])(
    "in %s has its days of rest, whichever way they are written",
    { timeout: 60_000 },
    (timeZone) => {
      const zone = schedules.zone(timeZone);
      const [from, to] = [zone.instant(at("2026-01-01T00:00:00Z")), zone.instant(at("2027-01-01T00:00:00Z"))];
      const minutes = minutesOf(timeZone, from, to);
      for (const [text, days, isResting, count] of table) {
        const schedule = resting(text, days, timeZone);
        const forwards: number[] = [];
        for (let next = schedule.next(from - 1); next !== undefined && next < to; next = schedule.next(next))
          forwards.push(next);
        const backwards: number[] = [];
        for (let last = schedule.previous(to); last !== undefined && last >= from; )
          last = schedule.previous(backwards[backwards.push(last) - 1] ?? 0);
        const [minute = "", hour = ""] = text.split(" ");
        const expected = dueAmong(minutes, {
          minutes: new Set([Number(minute)]),
          hours: hour === "*" ? hourly : new Set([Number(hour)]),
          isDay: (...day) => !isResting(...day),
        });
        expect(forwards, text).toEqual(expected);
        expect(backwards.reverse(), text).toEqual(expected);
        // On Sunday 4 October clocks on Lord Howe Island go from 02:00 to 02:30: of the full hours one is left out, none is repeated.
        const isOneLess =
          timeZone === "Australia/Lord_Howe" && text === "0 * * * *" && !days[0]?.endsWith("SUN");
        expect(expected, text).toHaveLength(isOneLess ? count - 1 : count);
      }
    },
  );
});
