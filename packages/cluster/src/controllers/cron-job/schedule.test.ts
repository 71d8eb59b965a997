import { expect, test } from "vitest";
import { Schedule } from "./schedule.js";

const next = (schedule: string, after: string, zone?: string): string | undefined => {
  const time = new Schedule(schedule, zone).after(Date.parse(after));
  return time === undefined ? undefined : new Date(time).toISOString().slice(0, 16);
};

test.each([
  ["*/5 * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:05"],
  ["*/5 * * * *", "2026-01-01T00:04:59Z", "2026-01-01T00:05"],
  ["0 3 * * *", "2026-01-01T03:00:00Z", "2026-01-02T03:00"],
  ["30 2 29 2 *", "2026-01-01T00:00:00Z", "2028-02-29T02:30"],
  ["0 0 * * mon", "2026-01-01T00:00:00Z", "2026-01-05T00:00"],
  ["0 0 13 * fri", "2026-01-01T00:00:00Z", "2026-01-02T00:00"],
  ["0 0 * * 7", "2026-01-01T00:00:00Z", "2026-01-04T00:00"],
  ["15 10-12/2 * jan,mar *", "2026-01-31T12:15:00Z", "2026-03-01T10:15"],
  ["@monthly", "2026-01-01T00:00:00Z", "2026-02-01T00:00"],
  ["0 0 30 2 *", "2026-01-01T00:00:00Z", undefined],
])("%s after %s is %s", (schedule, after, expected) => {
  expect(next(schedule, after)).toBe(expected);
});

test.each([
  ["0 9 * * *", "2026-01-01T00:00:00Z", "America/New_York", "2026-01-01T14:00"],
  ["0 9 * * *", "2026-07-01T00:00:00Z", "America/New_York", "2026-07-01T13:00"],
  ["30 0 * * *", "2026-03-29T12:00:00Z", "Europe/Berlin", "2026-03-29T22:30"],
  ["30 2 * * *", "2026-03-28T12:00:00Z", "Europe/Berlin", "2026-03-30T00:30"],
])("%s after %s in %s is %s", (schedule, after, zone, expected) => {
  expect(next(schedule, after, zone)).toBe(expected);
});

test.each(["* * * *", "60 * * * *", "* * * * funday", "*/0 * * * *", "a b c d e"])(
  "%s is no schedule",
  (text) => {
    expect(() => new Schedule(text, undefined)).toThrow(SyntaxError);
  },
);
