import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalTime, formatMicroTime, formatTime, parseMicroTime, parseTime } from "./timestamp.js";

const at = Date.UTC(2026, 0, 2, 3, 4, 5);

describe("timestamps: writing", () => {
  it.each([
    [at, "2026-01-02T03:04:05Z"],
    [at + 999, "2026-01-02T03:04:05Z"],
    [0, "1970-01-01T00:00:00Z"],
    [-1, "1969-12-31T23:59:59Z"],
  ])("%d is %s", (milliseconds, expected) => {
    expect(formatTime(milliseconds)).toBe(expected);
  });

  it.each([
    [at, "2026-01-02T03:04:05.000000Z"],
    [at + 6, "2026-01-02T03:04:05.006000Z"],
    [at + 0.006, "2026-01-02T03:04:05.000006Z"],
    [-0.001, "1969-12-31T23:59:59.999999Z"],
  ])("%d is %s with microseconds", (milliseconds, expected) => {
    expect(formatMicroTime(milliseconds)).toBe(expected);
  });

  it("refuses what has no four-digit year", () => {
    expect(() => formatTime(Date.UTC(10000, 0))).toThrow(RangeError);
    expect(() => formatTime(Number.NaN)).toThrow(RangeError);
  });
});

describe("timestamps: reading", () => {
  it.each([
    ["2026-01-02T03:04:05Z", at],
    ["2026-01-02T04:04:05+01:00", at],
    ["2026-01-01T21:34:05-05:30", at],
    ["2026-01-02T3:04:05Z", at],
    ["2026-01-02T03:04:05.5Z", at + 500],
    ["2026-01-02T03:04:05,25Z", at + 250],
    ["2026-01-02T03:04:05.123456789Z", at + 123.456789],
    ["2024-02-29T00:00:00Z", Date.UTC(2024, 1, 29)],
    ["0001-01-01T00:00:00Z", -62135596800000],
  ])("%s", (text, expected) => {
    expect(parseTime(text)).toBeCloseTo(expected, 3);
  });

  const layout = '"2006-01-02T15:04:05Z07:00"';
  it.each([
    ["", `parsing time "" as ${layout}: cannot parse "" as "2006"`],
    ["soon", `parsing time "soon" as ${layout}: cannot parse "soon" as "2006"`],
    ["2026", `parsing time "2026" as ${layout}: cannot parse "" as "-"`],
    ["2026-1-02", `parsing time "2026-1-02" as ${layout}: cannot parse "1-02" as "01"`],
    [
      "2026-01-02 03:04:05Z",
      `parsing time "2026-01-02 03:04:05Z" as ${layout}: cannot parse " 03:04:05Z" as "T"`,
    ],
    ["2026-01-02T03:04:05", `parsing time "2026-01-02T03:04:05" as ${layout}: cannot parse "" as "Z07:00"`],
    [
      "2026-01-02T03:04:05+1",
      `parsing time "2026-01-02T03:04:05+1" as ${layout}: cannot parse "+1" as "Z07:00"`,
    ],
    ["2026-13-02T03:04:05Z", 'parsing time "2026-13-02T03:04:05Z": month out of range'],
    ["2026-02-29T03:04:05Z", 'parsing time "2026-02-29T03:04:05Z": day out of range'],
    ["2026-04-31T03:04:05Z", 'parsing time "2026-04-31T03:04:05Z": day out of range'],
    ["2026-01-00T03:04:05Z", 'parsing time "2026-01-00T03:04:05Z": day out of range'],
    ["2026-01-02T24:00:00Z", 'parsing time "2026-01-02T24:00:00Z": hour out of range'],
    ["2026-01-02T24:04:05Z", 'parsing time "2026-01-02T24:04:05Z": hour out of range'],
    ["2026-01-02T03:60:05Z", 'parsing time "2026-01-02T03:60:05Z": minute out of range'],
    ["2026-01-02T03:04:60Z", 'parsing time "2026-01-02T03:04:60Z": second out of range'],
    [
      "2026-01-02T03:04:05+25:00",
      'parsing time "2026-01-02T03:04:05+25:00": time zone offset hour out of range',
    ],
    [
      "2026-01-02T03:04:05+01:61",
      'parsing time "2026-01-02T03:04:05+01:61": time zone offset minute out of range',
    ],
    ["2026-01-02T03:04:05Z!", 'parsing time "2026-01-02T03:04:05Z!": extra text: "!"'],
    ["münchen", `parsing time "m\\xc3\\xbcnchen" as ${layout}: cannot parse "m\\xc3\\xbcnchen" as "2006"`],
  ])("refuses %j", (text, message) => {
    expect(() => parseTime(text)).toThrow(new SyntaxError(message));
  });

  const micro = '"2006-01-02T15:04:05.000000Z07:00"';
  it.each([
    [
      "2020-01-01T00:00:00Z",
      `parsing time "2020-01-01T00:00:00Z" as ${micro}: cannot parse "Z" as ".000000"`,
    ],
    [
      "2020-01-01T00:00:00.123Z",
      `parsing time "2020-01-01T00:00:00.123Z" as ${micro}: cannot parse ".123Z" as ".000000"`,
    ],
    [
      "2020-01-01T00:00:00.123456789Z",
      `parsing time "2020-01-01T00:00:00.123456789Z" as ${micro}: cannot parse "789Z" as "Z07:00"`,
    ],
  ])("wants exactly six decimals for a micro time: %s", (text, message) => {
    expect(() => parseMicroTime(text)).toThrow(new SyntaxError(message));
  });
});

/** A number of milliseconds has room for microseconds from 1831 to 2109. */
const exactMicros = 2 ** 42 * 1000;

it("timestamps: reads what it wrote", () => {
  fc.assert(
    fc.property(fc.integer({ min: -exactMicros, max: exactMicros }), (value) => {
      const text = formatMicroTime(value / 1000);
      expect(formatMicroTime(parseMicroTime(text))).toBe(text);
      expect(formatTime(parseTime(formatTime(value / 1000)))).toBe(formatTime(value / 1000));
    }),
  );
});

describe("canonicalTime", () => {
  it.each([
    ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"],
    ["2026-12-31T23:59:59Z", "2026-12-31T23:59:59Z"],
    ["2026-01-02T03:04:05.999Z", "2026-01-02T03:04:05Z"],
    ["2026-01-02T03:04:05+01:00", "2026-01-02T02:04:05Z"],
  ])("writes %s as the server does", (text, expected) => {
    expect(canonicalTime(text)).toBe(expected);
  });

  it("refuses what parseTime refuses, and leaves alone what formatTime wrote", () => {
    const part = fc.integer({ min: 0, max: 99 }).map((number) => String(number).padStart(2, "0"));
    fc.assert(
      fc.property(part, part, part, part, part, (month, day, hour, minute, second) => {
        const text = `2026-${month}-${day}T${hour}:${minute}:${second}Z`;
        const slowly = attempt(() => formatTime(parseTime(text)));
        expect(attempt(() => canonicalTime(text))).toEqual(slowly);
      }),
    );
  });
});

function attempt(work: () => string): string {
  try {
    return work();
  } catch (error) {
    return String(error);
  }
}
