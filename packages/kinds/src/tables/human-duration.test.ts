import { describe, expect, it } from "vitest";
import { ageOf, humanDuration } from "./human-duration.js";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

describe("human-readable durations", () => {
  it.each([
    [-2 * second, "<invalid>"],
    [-1 * second, "0s"],
    [0, "0s"],
    [999, "0s"],
    [119 * second, "119s"],
    [2 * minute, "2m"],
    [2 * minute + second, "2m1s"],
    [9 * minute + 59 * second, "9m59s"],
    [10 * minute + 30 * second, "10m"],
    [179 * minute, "179m"],
    [3 * hour, "3h"],
    [3 * hour + minute, "3h1m"],
    [8 * hour + 30 * minute, "8h"],
    [47 * hour, "47h"],
    [2 * day, "2d"],
    [2 * day + 3 * hour, "2d3h"],
    [8 * day + 3 * hour, "8d"],
    [729 * day, "729d"],
    [2 * 365 * day, "2y"],
    [2 * 365 * day + 5 * day, "2y5d"],
    [9 * 365 * day + 5 * day, "9y"],
  ])("show %i ms as %s", (milliseconds, text) => {
    expect(humanDuration(milliseconds)).toBe(text);
  });

  it.each([
    [undefined, "<unknown>"],
    [null, "<unknown>"],
    ["2026-01-01T00:00:00Z", "60s"],
    ["2026-01-01T00:00:00.500000Z", "59s"],
  ])("show the age of %s as %s", (timestamp, text) => {
    expect(ageOf(timestamp, Date.parse("2026-01-01T00:01:00Z"))).toBe(text);
  });
});
