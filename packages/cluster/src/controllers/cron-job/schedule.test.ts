import { type CronJob, CronSyntaxError } from "@kubewright/api";
import { expect, test } from "vitest";
import { dueTimes } from "./due-times.js";
import { parseSchedule } from "./schedule.js";
import { zonedTime } from "./scheduled-jobs.js";

const next = (schedule: string, after: string, zone?: string): string | undefined => {
  const time = parseSchedule(schedule, zone).after(Date.parse(after));
  return time === undefined ? undefined : new Date(time).toISOString().slice(0, 16);
};

test.each([
  ["*/5 * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:05"],
  ["*/5 * * * *", "2026-01-01T00:04:59Z", "2026-01-01T00:05"],
  ["0 3 * * *", "2026-01-01T03:00:00Z", "2026-01-02T03:00"],
  ["30 2 29 2 *", "2026-01-01T00:00:00Z", "2028-02-29T02:30"],
  ["0 0 * * mon", "2026-01-01T00:00:00Z", "2026-01-05T00:00"],
  ["0 0 13 * fri", "2026-01-01T00:00:00Z", "2026-01-02T00:00"],
  ["0 0 * * 0", "2026-01-01T00:00:00Z", "2026-01-04T00:00"],
  ["0 0 */1 * fri", "2026-01-01T00:00:00Z", "2026-01-02T00:00"],
  ["0 0 */2 * fri", "2026-01-02T00:00:00Z", "2026-01-03T00:00"],
  [", * * * *", "2026-01-01T00:00:00Z", undefined],
  ["0 0 29 2 *", "2096-03-01T00:00:00Z", undefined],
  ["15 10-12/2 * jan,mar *", "2026-01-31T12:15:00Z", "2026-03-01T10:15"],
  ["TZ=Asia/Tokyo 0 9 * * *", "2026-01-01T01:00:00Z", "2026-01-02T00:00"],
  ["@every 90m", "2026-01-01T00:10:20Z", "2026-01-01T01:40"],
  ["@monthly", "2026-01-01T00:00:00Z", "2026-02-01T00:00"],
  ["0 0 30 2 *", "2026-01-01T00:00:00Z", undefined],
])("cron schedule: %s after %s is %s", (schedule, after, expected) => {
  expect(next(schedule, after)).toBe(expected);
});

test.each([
  ["0 9 * * *", "2026-01-01T00:00:00Z", "America/New_York", "2026-01-01T14:00"],
  ["0 9 * * *", "2026-07-01T00:00:00Z", "America/New_York", "2026-07-01T13:00"],
  ["30 0 * * *", "2026-03-29T12:00:00Z", "Europe/Berlin", "2026-03-29T22:30"],
  ["30 2 * * *", "2026-03-28T12:00:00Z", "Europe/Berlin", "2026-03-30T00:30"],
  // On the day the clock goes back, half past two comes twice.
  ["30 2 * * *", "2026-10-24T12:00:00Z", "Europe/Berlin", "2026-10-25T00:30"],
  ["30 2 * * *", "2026-10-25T00:30:00Z", "Europe/Berlin", "2026-10-25T01:30"],
  ["30 2 * * *", "2026-10-25T01:30:00Z", "Europe/Berlin", "2026-10-26T01:30"],
  ["0 9 * * *", "2026-01-01T00:00:00Z", "Asia/Kolkata", "2026-01-01T03:30"],
  ["TZ=Asia/Tokyo 0 9 * * *", "2026-01-01T01:00:00Z", "Europe/Berlin", "2026-01-02T00:00"],
  // Half an hour is left out, and half an hour is repeated.
  ["15 2 * * *", "2026-10-03T12:00:00Z", "Australia/Lord_Howe", "2026-10-04T15:15"],
  ["45 1 * * *", "2026-04-04T14:45:00Z", "Australia/Lord_Howe", "2026-04-04T15:15"],
])("cron schedule: %s after %s in %s is %s", (schedule, after, zone, expected) => {
  expect(next(schedule, after, zone)).toBe(expected);
});

test.each(["* * * *", "60 * * * *", "* * * * funday", "*/0 * * * *", "a b c d e", "0 0 * * 7", "@sometimes"])(
  "cron schedule: %s is refused",
  (text) => {
    expect(() => parseSchedule(text, undefined)).toThrow(CronSyntaxError);
  },
);

test("parseSchedule throws a RangeError for an unknown time zone", () => {
  expect(() => parseSchedule("0 0 * * *", "Mars/Base")).toThrow(RangeError);
});

const hourly = (status: CronJob["status"], startingDeadlineSeconds?: number): CronJob => ({
  metadata: { creationTimestamp: "2026-01-01T00:00:00Z" },
  spec: {
    schedule: "0 * * * *",
    jobTemplate: {},
    ...(startingDeadlineSeconds === undefined ? {} : { startingDeadlineSeconds }),
  },
  status,
});

test.each<[string, CronJob, string, string | undefined, number]>([
  ["nothing yet", hourly({}), "2026-01-01T00:59:59Z", undefined, 0],
  ["the first time", hourly({}), "2026-01-01T01:00:00Z", "2026-01-01T01:00:00Z", 1],
  [
    "only the last of several",
    hourly({ lastScheduleTime: "2026-01-01T01:00:00Z" }),
    "2026-01-01T04:30:00Z",
    "2026-01-01T04:00:00Z",
    3,
  ],
  ["not what is past the deadline", hourly({}, 60), "2026-01-01T04:30:00Z", undefined, 0],
  ["what is just within the deadline", hourly({}, 1800), "2026-01-01T04:30:00Z", "2026-01-01T04:00:00Z", 1],
  ["the last of very many", hourly({}), "2027-01-01T00:30:00Z", "2027-01-01T00:00:00Z", 8760],
])("CronJob: due is %s", (_name, cron, now, due, missed) => {
  const found = dueTimes(cron, parseSchedule("0 * * * *", undefined), Date.parse(now));
  expect(found.due).toBe(due === undefined ? undefined : Date.parse(due));
  expect(found.missed).toBe(missed);
});

test.each([
  [undefined, "2026-07-01T12:00:00Z"],
  ["UTC", "2026-07-01T12:00:00Z"],
  ["Europe/London", "2026-07-01T13:00:00+01:00"],
  ["America/New_York", "2026-07-01T08:00:00-04:00"],
  ["Asia/Kolkata", "2026-07-01T17:30:00+05:30"],
])("cron schedule: noon in %s is written %s", (zone, expected) => {
  expect(zonedTime(Date.parse("2026-07-01T12:00:00Z"), zone)).toBe(expected);
});
