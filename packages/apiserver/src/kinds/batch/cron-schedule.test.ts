import { describe, expect, it } from "vitest";
import { isTimeZone, scheduleProblem } from "./cron-schedule.js";

describe("cron schedules", () => {
  it.each([
    "* * * * *",
    "*/5 0-23/2 1,15 jan-DEC mon-fri",
    "0 0 ? * 0",
    "5/15 * * * *",
    "  1  2  3  4  5  ",
    "@hourly",
    "@yearly",
    "@every 1h30m",
    "TZ=Europe/Berlin 0 0 * * *",
    "CRON_TZ=UTC @daily",
  ])("%s", (schedule) => {
    expect(scheduleProblem(schedule)).toBeUndefined();
  });

  it.each([
    ["", "empty spec string"],
    ["* * * *", "expected exactly 5 fields, found 4: [* * * *]"],
    ["* * * * * *", "expected exactly 5 fields, found 6: [* * * * * *]"],
    ["60 * * * *", "end of range (60) above maximum (59): 60"],
    ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
    ["5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"],
    ["*/0 * * * *", "step of range should be a positive number: */0"],
    ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
    ["1/2/3 * * * *", "too many slashes: 1/2/3"],
    ["a * * * *", 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'],
    ["* * * * funday", 'failed to parse int from funday: strconv.Atoi: parsing "funday": invalid syntax'],
    ["@never", "unrecognized descriptor: @never"],
    ["TZ=Mars/Base 0 0 * * *", "provided bad location Mars/Base: unknown time zone Mars/Base"],
  ])("'%s' is not one: %s", (schedule, problem) => {
    expect(scheduleProblem(schedule)).toBe(problem);
  });
});

it.each([
  ["Europe/Berlin", true],
  ["UTC", true],
  ["Etc/GMT+5", true],
  ["", true],
  ["Mars/Base", false],
  ["europe/berlin", false],
])("time zone '%s' is known: %s", (name, known) => {
  expect(isTimeZone(name)).toBe(known);
});
