import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Allowed, dueIn } from "./fixtures/brute-force.js";
import { ScheduleError } from "./schedule-error.js";
import { Schedules } from "./schedules.js";

const schedules = new Schedules();
const at = (text: string): number => Date.parse(text);
const shown = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time).toISOString().replace(".000Z", "Z");

/** All instants in a span, forwards. */
function all(text: string, timeZone: string, from: number, to: number): readonly number[] {
  const schedule = schedules.parse(text, { timeZone });
  const found: number[] = [];
  for (let next = schedule.next(from - 1); next !== undefined && next < to; next = schedule.next(next))
    found.push(next);
  return found;
}

/** The same, backwards. */
function allBackwards(text: string, timeZone: string, from: number, to: number): readonly number[] {
  const schedule = schedules.parse(text, { timeZone });
  const found: number[] = [];
  for (let last = schedule.previous(to); last !== undefined && last >= from; last = schedule.previous(last))
    found.push(last);
  return found.reverse();
}

describe("the next time of a schedule", () => {
  test.each([
    ["*/15 * * * *", "2026-03-01T10:00:00Z", "2026-03-01T10:15:00Z"],
    ["*/15 * * * *", "2026-03-01T09:59:59.999Z", "2026-03-01T10:00:00Z"],
    ["* * * * * *", "2026-03-01T10:00:00.5Z", "2026-03-01T10:00:01Z"],
    ["10/20 30 12 * * *", "2026-03-01T12:30:10Z", "2026-03-01T12:30:30Z"],
    ["0 9 * * MON-FRI", "2026-03-06T10:00:00Z", "2026-03-09T09:00:00Z"],
    ["0 9 ? jan,Jul 1", "2026-03-06T10:00:00Z", "2026-07-06T09:00:00Z"],
    ["0 0 L * ?", "2026-02-01T00:00:00Z", "2026-02-28T00:00:00Z"],
    ["0 0 L-1 * *", "2028-02-01T00:00:00Z", "2028-02-28T00:00:00Z"],
    ["0 0 L-3 * *", "2026-02-01T00:00:00Z", "2026-02-25T00:00:00Z"],
    // 1 August 2026 is a Saturday, 31 May 2026 a Sunday.
    ["0 0 1W * *", "2026-07-02T00:00:00Z", "2026-08-03T00:00:00Z"],
    ["0 0 15W * *", "2026-08-04T00:00:00Z", "2026-08-14T00:00:00Z"],
    ["0 0 31w * *", "2026-05-01T00:00:00Z", "2026-05-29T00:00:00Z"],
    ["0 0 31W * *", "2026-05-30T00:00:00Z", "2026-07-31T00:00:00Z"],
    ["0 0 LW * ?", "2026-05-01T00:00:00Z", "2026-05-29T00:00:00Z"],
    ["0 0 L-1W,2 5 *", "2026-05-03T00:00:00Z", "2026-05-29T00:00:00Z"],
    ["0 0 * * MON-SUN/6", "2026-03-02T00:00:00Z", "2026-03-08T00:00:00Z"],
    // Steps of a week end on Saturday; a step of one is none.
    ["0 0 ? * 1/2", "2026-03-06T00:00:00Z", "2026-03-09T00:00:00Z"],
    ["0 0 */1 * MON", "2026-03-03T00:00:00Z", "2026-03-09T00:00:00Z"],
    ["0 0 * * 5L", "2026-03-01T00:00:00Z", "2026-03-27T00:00:00Z"],
    ["0 0 * * FRI#2", "2026-03-01T00:00:00Z", "2026-03-13T00:00:00Z"],
    ["0 0 * * 7", "2026-03-02T00:00:00Z", "2026-03-08T00:00:00Z"],
    ["0 0 13 * 5", "2026-03-07T00:00:00Z", "2026-03-13T00:00:00Z"],
    ["0 0 13 * 5", "2026-03-13T00:00:00Z", "2026-03-20T00:00:00Z"],
    ["0 0 29 2 *", "2026-03-01T00:00:00Z", "2028-02-29T00:00:00Z"],
    ["0 0 29 2 *", "2096-03-01T00:00:00Z", "2104-02-29T00:00:00Z"],
    ["@hourly", "2026-03-01T10:00:00Z", "2026-03-01T11:00:00Z"],
    ["@daily", "2026-03-01T10:00:00Z", "2026-03-02T00:00:00Z"],
    ["@weekly", "2026-03-02T10:00:00Z", "2026-03-08T00:00:00Z"],
    ["@monthly", "2026-03-02T10:00:00Z", "2026-04-01T00:00:00Z"],
    ["@yearly", "2026-03-02T10:00:00Z", "2027-01-01T00:00:00Z"],
    ["@every 10m", "2026-03-02T10:03:00Z", "2026-03-02T10:10:00Z"],
    ["@date 2026-12-24 18:00", "2026-03-02T10:03:00Z", "2026-12-24T18:00:00Z"],
    ["@date 2026-12-24 18:00", "2026-12-24T18:00:00Z", undefined],
  ])("of %s after %s is %s", (text, after, next) => {
    const schedule = schedules.parse(text);
    expect(shown(schedule.next(at(after)))).toBe(next);
    if (next) expect(schedule.previous(at(next) + 1)).toBe(at(next));
    if (next && !text.startsWith("@date")) expect(schedule.previous(at(next))).toBeLessThanOrEqual(at(after));
  });

  test("of an interval is counted from its anchor, which is not itself due", () => {
    const schedule = schedules.parse("@every 1h30m", { anchor: at("2026-01-01T00:10:00.7Z") });
    expect(shown(schedule.next(at("2025-01-01T00:00:00Z")))).toBe("2026-01-01T01:40:00Z");
    expect(schedule.previous(at("2026-01-01T01:40:00Z"))).toBeUndefined();
    expect(shown(schedule.previous(at("2026-01-01T03:10:00.1Z")))).toBe("2026-01-01T03:10:00Z");
  });
});

describe("an invalid schedule", () => {
  test.each([
    ["", undefined, "empty"],
    ["* * * *", 7, "not 4"],
    ["* * * * * * *", 12, "not 7"],
    ["0 25 * * *", 2, 'hour: "25" is not 0 to 23'],
    ["0 1,,2 * * *", 4, "hour: there is a value missing, 0 to 23"],
    ["0 5-3 * * *", 2, "ends before it begins"],
    ["*/0 * * * *", 2, "no step"],
    ["*/90 * * * *", 2, "1 to 60"],
    ["*/1/2 * * * *", 4, "more than one step"],
    ["0 0 * FOO *", 6, 'month: "FOO" is not 1 to 12 or jan to dec'],
    ["0 0 * * MON#6", 12, "1 to 5"],
    ["0 0 * * L", 8, "5L"],
    ["0 0 30 2 *", 4, "never comes"],
    ["0 0 30W 2 *", 4, "never comes"],
    ["0 0 W * *", 4, 'day of month: "W" is not 1 to 31'],
    ["0 0 32W * *", 4, 'day of month: "32" is not 1 to 31'],
    ["0 0 1-5W * *", 4, 'day of month: "1-5" is not 1 to 31'],
    ["0 0 L-31W * *", 4, "before the first"],
    ["0 0 * * 15W", 8, "day of week"],
    ["0 0 * * FRI-MON", 8, "ends before it begins"],
    ["TZ=Asia/Shanghai 0 9 * * *", 0, "timeZone"],
    ["0 0 31 4,6,9,11 ?", 4, "never comes"],
    ["0 0 L-31 * *", 4, "before the first"],
    ["0 0 1.5 * *", 4, '"1.5" is not'],
    ["@fortnightly", 0, "is no schedule"],
    ["@daily 5", 7, "is no schedule"],
    ["@every soon", 7, "is no duration"],
    ["@every 500ms", 7, "whole seconds"],
    ["@every", 6, "is no duration"],
    ["@date 2026-02-30 10:00", 6, "never comes"],
    ["@date 2026-01-01 24:00", 6, "never comes"],
    ["@date tomorrow", 6, "is no date"],
  ])("%o is refused with the position %s", (text, position, message) => {
    expect(() => schedules.parse(text)).toThrow(ScheduleError);
    expect(() => schedules.parse(text)).toThrow(message);
    if (position !== undefined) expect(() => schedules.parse(text)).toThrow(`(column ${position + 1})`);
    try {
      schedules.parse(text);
    } catch (error) {
      expect(error).toHaveProperty("position", position);
    }
  });

  test("is refused with the name of an unknown time zone", () => {
    expect(() => schedules.parse("@daily", { timeZone: "Mars/Olympus" })).toThrow(
      'no time zone "Mars/Olympus"',
    );
  });
});

describe("schedules when clocks change", () => {
  // Berlin: 29 March 2026 01:00Z forward from 02:00 to 03:00; 25 October 2026 01:00Z back from 03:00 to 02:00.
  test.each([
    ["a time that does not exist is due when clocks go forward", "30 2 * * *", "2026-03-29", ["01:00:00"]],
    ["several such times are due once", "*/10 2 * * *", "2026-03-29", ["01:00:00"]],
    ["and together with what is due then anyway", "0 2,3 * * *", "2026-03-29", ["01:00:00"]],
    ["a time that exists twice is due the first time", "30 2 * * *", "2026-10-25", ["00:30:00"]],
    ["a time right after the repeat is due once", "0 3 * * *", "2026-10-25", ["02:00:00"]],
  ])("%s", (_, text, day, times) => {
    const [from, to] = [at(`${day}T00:00:00Z`), at(`${day}T12:00:00Z`)];
    const expected = times.map((time) => `${day}T${time}Z`);
    expect(all(text, "Europe/Berlin", from, to).map(shown)).toEqual(expected);
    expect(allBackwards(text, "Europe/Berlin", from, to).map(shown)).toEqual(expected);
  });

  test.each(["2026-03-29", "2026-10-25"])("every quarter of an hour is one of real time on %s", (day) => {
    const [from, to] = [at(`${day}T00:00:00Z`), at(`${day}T12:00:00Z`)];
    const quarters = Array.from({ length: 48 }, (_, index) => from + index * 900_000);
    expect(all("*/15 * * * *", "Europe/Berlin", from, to)).toEqual(quarters);
    expect(allBackwards("*/15 * * * *", "Europe/Berlin", from, to)).toEqual(quarters);
  });

  test("a time on a day that the zone skipped is due at its end", () => {
    // Samoa went from 29 to 31 December 2011.
    const found = all("0 12 30 12 *", "Pacific/Apia", at("2011-01-01T00:00:00Z"), at("2012-01-31T00:00:00Z"));
    expect(found.map(shown)).toEqual(["2011-12-30T10:00:00Z"]);
  });
});

const yearStart = at("2026-01-01T00:00:00Z");
const yearEnd = at("2027-01-01T00:00:00Z");
const every = (count: number, first = 0): ReadonlySet<number> =>
  new Set(Array.from({ length: count }, (_, index) => index + first));
const anyDay = (): boolean => true;

const yearly: readonly (readonly [string, Allowed])[] = [
  ["0 9 * * *", { minutes: new Set([0]), hours: new Set([9]), isDay: anyDay }],
  ["30 1,2 * * *", { minutes: new Set([30]), hours: new Set([1, 2]), isDay: anyDay }],
  ["45 1 * * *", { minutes: new Set([45]), hours: new Set([1]), isDay: anyDay }],
  ["*/20 * * * *", { minutes: new Set([0, 20, 40]), hours: every(24), isDay: anyDay }],
  [
    "0 2 * * SUN",
    { minutes: new Set([0]), hours: new Set([2]), isDay: (_day, _month, weekday) => weekday === 0 },
  ],
  [
    "0 0 L * *",
    { minutes: new Set([0]), hours: new Set([0]), isDay: (day, _month, _weekday, length) => day === length },
  ],
];
/**
 * The number of times each is due in 2026, in the order above. Half an hour that is repeated from 01:30 has one time at 20 minutes,
 * half an hour that is left out from 02:00 has two.
 */
const counts: Readonly<Record<string, readonly number[]>> = {
  "Asia/Shanghai": [365, 730, 365, 26_280, 52, 12],
  "Europe/Berlin": [365, 730, 365, 26_280, 52, 12],
  "America/New_York": [365, 730, 365, 26_280, 52, 12],
  "Australia/Lord_Howe": [365, 730, 365, 26_279, 52, 12],
};

describe.each(Object.keys(counts))("schedules over a year in %s", (timeZone) => {
  test.each(yearly.map(([text, allowed], index) => [text, allowed, counts[timeZone]?.[index]] as const))(
    "%s is due exactly when it should be",
    (text, allowed, count) => {
      const expected = dueIn(timeZone, yearStart, yearEnd, allowed);
      expect(all(text, timeZone, yearStart, yearEnd)).toEqual(expected);
      expect(allBackwards(text, timeZone, yearStart, yearEnd)).toEqual(expected);
      expect(expected).toHaveLength(count ?? -1);
    },
  );
});

test.each([
  // Known instants: no daylight saving; forward and back by an hour; by half an hour, the other way round in the year.
  ["Asia/Shanghai", "30 2 * * *", ["2026-03-28T18:30:00Z", "2026-10-24T18:30:00Z"]],
  ["Europe/Berlin", "30 2 * * *", ["2026-03-29T01:00:00Z", "2026-10-25T00:30:00Z"]],
  ["America/New_York", "30 2 * * *", ["2026-03-08T07:00:00Z", "2026-11-01T07:30:00Z"]],
  ["America/New_York", "30 1 * * *", ["2026-11-01T05:30:00Z"]],
  ["Australia/Lord_Howe", "45 1 * * *", ["2026-04-04T14:45:00Z"]],
  ["Australia/Lord_Howe", "15 2 * * *", ["2026-10-03T15:30:00Z"]],
])("in %s the schedule %s is due at known instants", (timeZone, text, instants) => {
  const due = new Set(all(text, timeZone, yearStart, yearEnd).map(shown));
  for (const instant of instants) expect(due).toContain(instant);
});

/** A field as text and as the values it should stand for. */
const field = (
  least: number,
  most: number,
  last = most,
): fc.Arbitrary<readonly [string, ReadonlySet<number>]> => {
  const value = fc.integer({ min: least, max: most });
  const range = fc.tuple(value, value, fc.integer({ min: 1, max: most - least + 1 })).map(([a, b, step]) => {
    const [from, to] = [Math.min(a, b), Math.max(a, b)];
    const values = Array.from({ length: to - from + 1 }, (_, index) => from + index);
    return [`${from}-${to}/${step}`, values.filter((each) => (each - from) % step === 0)] as const;
  });
  const single = value.map((each) => [String(each), [each]] as const);
  const list = fc
    .array(fc.oneof(single, range), { minLength: 1, maxLength: 3 })
    .map(
      (parts) =>
        [parts.map(([text]) => text).join(","), new Set(parts.flatMap(([, values]) => values))] as const,
    );
  return fc.oneof(list, fc.constant(["*", every(last - least + 1, least)] as const));
};

test("any schedule in any zone is due exactly at the times that a scan of every minute finds", {
  timeout: 60_000,
}, () => {
  const zones = [
    "UTC",
    "Asia/Shanghai",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
  ];
  const weeks = [
    "2026-03-02",
    "2026-03-25",
    "2026-04-01",
    "2026-10-01",
    "2026-10-22",
    "2026-10-29",
    "2026-12-28",
  ];
  const parts = [field(0, 59), field(0, 23), field(1, 28, 31), field(1, 12), field(0, 6)] as const;
  fc.assert(
    fc.property(
      fc.tuple(...parts),
      fc.constantFrom(...zones),
      fc.constantFrom(...weeks),
      (fields, zone, week) => {
        const [minutes, hours, days, months, weekdays] = fields;
        const text = fields.map(([each]) => each).join(" ");
        const isDay = (day: number, month: number, weekday: number): boolean => {
          const [byDay, byWeekday] = [days[1].has(day), weekdays[1].has(weekday)];
          const isEither = days[0] !== "*" && weekdays[0] !== "*";
          return months[1].has(month) && (isEither ? byDay || byWeekday : byDay && byWeekday);
        };
        const [from, to] = [at(`${week}T00:00:00Z`), at(`${week}T00:00:00Z`) + 9 * 86_400_000];
        const expected = dueIn(zone, from, to, { minutes: minutes[1], hours: hours[1], isDay });
        // A time just before the span may show at its first moment where clocks are just then changed: none is.
        expect(all(text, zone, from, to)).toEqual(expected);
        expect(allBackwards(text, zone, from, to)).toEqual(expected);
      },
    ),
    { numRuns: 300 },
  );
});

test("the next time of a schedule is found fast, however far away", () => {
  const schedule = schedules.parse("0 12 29 2 *", { timeZone: "Europe/Berlin" });
  const began = performance.now();
  for (let index = 0; index < 1_000; index++) schedule.next(at("2026-03-01T00:00:00Z") + index);
  expect(performance.now() - began).toBeLessThan(2_000);
});
