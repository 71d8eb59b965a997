import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { durationToMilliseconds, formatDuration, millisecondsToDuration, parseDuration } from "./duration.js";

const ms = 1_000_000n;
const s = 1000n * ms;
const m = 60n * s;
const h = 60n * m;

describe("parseDuration", () => {
  it.each([
    ["0", 0n],
    ["-0", 0n],
    ["5s", 5n * s],
    ["+5s", 5n * s],
    ["-5s", -5n * s],
    ["1478s", 1478n * s],
    ["5.0s", 5n * s],
    ["5.6s", 5n * s + 600n * ms],
    ["5.s", 5n * s],
    [".5s", 500n * ms],
    ["1.004s", s + 4n * ms],
    ["100.00100s", 100n * s + ms],
    ["10ns", 10n],
    ["11us", 11_000n],
    ["12µs", 12_000n],
    ["12μs", 12_000n],
    ["13ms", 13n * ms],
    ["15m", 15n * m],
    ["16h", 16n * h],
    ["3h30m", 3n * h + 30n * m],
    ["10.5s4m", 4n * m + 10n * s + 500n * ms],
    ["1h2m3s4ms5us6ns", h + 2n * m + 3n * s + 4n * ms + 5006n],
    ["39h9m14.425s", 39n * h + 9n * m + 14n * s + 425n * ms],
    ["52763797000ns", 52763797000n],
    ["0.3333333333333333333h", 20n * m],
    ["9007199254740993ns", 2n ** 53n + 1n],
    ["9223372036854775807ns", 2n ** 63n - 1n],
    ["9223372036854775.807us", 2n ** 63n - 1n],
    ["-9223372036854775808ns", -(2n ** 63n)],
    ["-2562047h47m16.854775808s", -(2n ** 63n)],
    ["0.100000000000000000000h", 6n * m],
    ["0.830103483285477580700h", 49n * m + 48n * s + 372539827n],
    [`${"0".repeat(500)}1s`, s],
  ])("%s", (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });

  it.each([
    ["", 'time: invalid duration ""'],
    ["3", 'time: missing unit in duration "3"'],
    ["-", 'time: invalid duration "-"'],
    ["s", 'time: invalid duration "s"'],
    [".", 'time: invalid duration "."'],
    [".s", 'time: invalid duration ".s"'],
    ["+.s", 'time: invalid duration "+.s"'],
    ["1d", 'time: unknown unit "d" in duration "1d"'],
    ["1h 2m", 'time: unknown unit "h " in duration "1h 2m"'],
    ["1.2.3s", 'time: missing unit in duration "1.2.3s"'],
    ["\u0085\u0085", 'time: invalid duration "\\xc2\\x85\\xc2\\x85"'],
    ["9223372036854775808ns", 'time: invalid duration "9223372036854775808ns"'],
    ["9223372036854775810ns", 'time: invalid duration "9223372036854775810ns"'],
    ["9223372036854ms775us808ns", 'time: invalid duration "9223372036854ms775us808ns"'],
    ["3000000h", 'time: invalid duration "3000000h"'],
    ["-9223372036854775809ns", 'time: invalid duration "-9223372036854775809ns"'],
  ])("refuses %j", (text, message) => {
    expect(() => parseDuration(text)).toThrow(new SyntaxError(message));
  });

  it("is not slowed down by long text", () => {
    expect(() => parseDuration("9".repeat(1e6))).toThrow(SyntaxError);
    expect(() => parseDuration(`1${".".repeat(1e6)}`)).toThrow(SyntaxError);
    expect(parseDuration("1ns".repeat(300_000))).toBe(300_000n);
    expect(parseDuration(`0.${"1".repeat(1e6)}s`)).toBe(111111111n);
  });
});

describe("formatDuration", () => {
  it.each([
    [0n, "0s"],
    [1n, "1ns"],
    [1100n, "1.1µs"],
    [2200000n, "2.2ms"],
    [3300n * ms, "3.3s"],
    [4n * m + 5n * s, "4m5s"],
    [4n * m + 5001n * ms, "4m5.001s"],
    [5n * h + 6n * m + 7001n * ms, "5h6m7.001s"],
    [8n * m + 1n, "8m0.000000001s"],
    [h, "1h0m0s"],
    [-90n * m, "-1h30m0s"],
    [2n ** 63n - 1n, "2562047h47m16.854775807s"],
    [-(2n ** 63n), "-2562047h47m16.854775808s"],
  ])("%d is %s", (value, expected) => {
    expect(formatDuration(value)).toBe(expected);
  });

  it("prints what is read back the same", () => {
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), (value) => {
        expect(parseDuration(formatDuration(value))).toBe(value);
      }),
    );
  });
});

it("durations: convert to and from the milliseconds of a clock", () => {
  expect(durationToMilliseconds("1m0.25s")).toBe(60_250);
  expect(durationToMilliseconds("1us")).toBe(0.001);
  expect(millisecondsToDuration(90_000)).toBe("1m30s");
  expect(millisecondsToDuration(0.0015)).toBe("1.5µs");
});
