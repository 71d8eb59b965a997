import { describe, expect, it } from "vitest";
import { CronSyntaxError, isTimeZone, parseCronSchedule } from "./cron-schedule.js";

const sorted = (values: ReadonlySet<number>) => [...values].toSorted((a, b) => a - b);
const upTo = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe("cron schedule", () => {
  it.each([
    ["0 0 * * *", { minutes: [0], hours: [0], days: upTo(1, 31), needsBothDays: true }],
    ["*/20 0-5/2 1,15 jan-MAR mon-fri", { minutes: [0, 20, 40], hours: [0, 2, 4], days: [1, 15] }],
    ["*/20 0-5/2 1,15 jan-MAR mon-fri", { months: [1, 2, 3], weekdays: upTo(1, 5), needsBothDays: false }],
    ["50/5 * * * *", { minutes: [50, 55] }],
    ["  1  2  3  4  5  ", { minutes: [1], hours: [2], days: [3], months: [4], weekdays: [5] }],
    ["+5 * * * *", { minutes: [5] }],
    ["0 0 ? * 0", { needsBothDays: true, weekdays: [0] }],
    ["0 0 */1 * 0", { needsBothDays: true }],
    ["0 0 */2 * 0", { needsBothDays: false }],
    ["0 0 1,* * 0", { needsBothDays: true }],
    ["*-3 * * * *", { minutes: upTo(0, 59) }],
    [", * * * *", { minutes: [] }],
    ["5,,6 * * * *", { minutes: [5, 6] }],
    ["@hourly", { minutes: [0], hours: upTo(0, 23), zone: undefined }],
    ["@yearly", { days: [1], months: [1], needsBothDays: true }],
    ["@weekly", { weekdays: [0], days: upTo(1, 31), needsBothDays: true }],
    ["TZ=Europe/Berlin 0 0 * * *", { zone: "Europe/Berlin" }],
    ["CRON_TZ=UTC @daily", { zone: "UTC", hours: [0] }],
    ["CRON_TZ= @daily", { zone: "" }],
  ])("%s", (text, expected) => {
    const schedule = parseCronSchedule(text);
    if (schedule.kind !== "calendar") throw new Error("not by the calendar");
    const { minutes, hours, days, months, weekdays } = schedule;
    const shown = Object.entries({ minutes, hours, days, months, weekdays }).map(
      ([name, values]) => [name, sorted(values)] as const,
    );
    expect({ ...schedule, ...Object.fromEntries(shown) }).toMatchObject(expected);
  });
});

it.each([
  ["@every 1h30m", 5400],
  ["@every 90.7s", 90],
  ["@every 10ms", 1],
  ["@every -1h", 1],
  ["TZ=Asia/Tokyo @every 2s", 2],
])("cron schedule: %s is every %i seconds", (text, seconds) => {
  expect(parseCronSchedule(text)).toEqual({ kind: "every", seconds });
});

it.each([
  ["", "empty spec string"],
  ["* * * *", "expected exactly 5 fields, found 4: [* * * *]"],
  ["* * * * * *", "expected exactly 5 fields, found 6: [* * * * * *]"],
  ["60 * * * *", "end of range (60) above maximum (59): 60"],
  ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
  ["* * * * 7", "end of range (7) above maximum (6): 7"],
  ["5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"],
  ["* * * * fri-mon", "beginning of range (5) beyond end of range (1): fri-mon"],
  ["*/0 * * * *", "step of range should be a positive number: */0"],
  ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
  ["1/2/3 * * * *", "too many slashes: 1/2/3"],
  ["-1 * * * *", 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'],
  ["*/-1 * * * *", "negative number (-1) not allowed: -1"],
  ["a * * * *", 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'],
  ["* * L * *", 'failed to parse int from L: strconv.Atoi: parsing "L": invalid syntax'],
  ["* * 15W * *", 'failed to parse int from 15W: strconv.Atoi: parsing "15W": invalid syntax'],
  ["* * * * 5#2", 'failed to parse int from 5#2: strconv.Atoi: parsing "5#2": invalid syntax'],
  [
    "99999999999999999999 * * * *",
    'failed to parse int from 99999999999999999999: strconv.Atoi: parsing "99999999999999999999": value out of range',
  ],
  ["* * * * funday", 'failed to parse int from funday: strconv.Atoi: parsing "funday": invalid syntax'],
  ["@never", "unrecognized descriptor: @never"],
  ["@Daily", "unrecognized descriptor: @Daily"],
  ["@daily ", "unrecognized descriptor: @daily "],
  ["@every soon", 'failed to parse duration @every soon: time: invalid duration "soon"'],
  ["TZ=Mars/Base 0 0 * * *", "provided bad location Mars/Base: unknown time zone Mars/Base"],
  ["TZ=UTC", "expected exactly 5 fields, found 0: []"],
  ["tz=UTC 0 0 * * *", "expected exactly 5 fields, found 6: [tz=UTC 0 0 * * *]"],
])("cron schedule: '%s' is refused: %s", (text, problem) => {
  expect(() => parseCronSchedule(text)).toThrow(new CronSyntaxError(problem));
});

it.each([
  ["Europe/Berlin", true],
  ["America/Port-au-Prince", true],
  ["Asia/Calcutta", true],
  ["UTC", true],
  ["Etc/GMT+5", true],
  ["", true],
  ["Mars/Base", false],
  ["europe/berlin", false],
  ["EUROPE/BERLIN", false],
  ["+01:00", false],
])("cron schedule: time zone '%s' is known: %s", (name, known) => {
  expect(isTimeZone(name)).toBe(known);
});
