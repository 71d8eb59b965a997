import { describe, expect, test } from "vitest";
import { parseExclusion, withoutDays } from "./exclusions.js";
import { Schedules } from "./schedules.js";

const schedules = new Schedules();
const at = (text: string): number => Date.parse(text);
const shown = (time: number | undefined) =>
  time === undefined ? undefined : new Date(time).toISOString().slice(0, 16);
const resting = (text: string, days: readonly string[], timeZone = "UTC") =>
  withoutDays(schedules.parse(text, { timeZone }), days.map(parseExclusion), schedules.zone(timeZone));

describe("excluded days", () => {
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

  test("are those of the zone, and passed over without looking at every second of them", () => {
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
