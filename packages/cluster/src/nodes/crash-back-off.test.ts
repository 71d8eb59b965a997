import { expect, test } from "vitest";
import { backOffText, CrashBackOff } from "./crash-back-off.js";

test("CrashLoopBackOff: restarts at once, then after ten seconds, doubled up to five minutes", () => {
  const backOff = new CrashBackOff();
  const waits = Array.from({ length: 8 }, () => backOff.next(1000) / 1000);
  expect(waits).toEqual([0, 10, 20, 40, 80, 160, 300, 300]);
});

test("CrashLoopBackOff: a run of more than ten minutes resets it", () => {
  const backOff = new CrashBackOff();
  for (let at = 0; at < 4; at++) backOff.next(1000);
  expect(backOff.next(600_001)).toBe(0);
  expect(backOff.next(600_000)).toBe(10_000);
});

test.each([
  [10_000, "10s"],
  [160_000, "2m40s"],
  [300_000, "5m0s"],
])("CrashLoopBackOff: %d ms is written %s", (milliseconds, text) => {
  expect(backOffText(milliseconds)).toBe(text);
});
