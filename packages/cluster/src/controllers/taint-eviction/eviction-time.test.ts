import type { Taint, Toleration } from "@kubewright/api";
import { expect, test } from "vitest";
import { evictionTime } from "./eviction-time.js";

const added = Date.UTC(2026, 0, 1);
const now = added + 10_000;
const gone: Taint = { key: "gone", effect: "NoExecute", timeAdded: new Date(added).toISOString() };
const soft: Taint = { key: "soft", effect: "NoSchedule" };
const tolerating = (...seconds: (number | undefined)[]): Toleration[] =>
  seconds.map((tolerationSeconds) => ({ key: "gone", operator: "Exists" as const, tolerationSeconds }));

test.each([
  ["nothing tolerated", [], [gone], now],
  ["tolerated for ever", tolerating(undefined), [gone], undefined],
  ["tolerated for a while", tolerating(300), [gone], added + 300_000],
  ["tolerated for the shortest while", tolerating(300, 60, undefined), [gone], added + 60_000],
  ["not to be tolerated any more", tolerating(0), [gone], added],
  ["only new pods kept away", [], [soft], undefined],
  ["one of two tolerated", tolerating(300), [gone, { key: "other", effect: "NoExecute" as const }], now],
])("taint eviction: %s", (_, tolerations, taints, expected) => {
  expect(evictionTime({ spec: { containers: [], tolerations } }, taints, now)).toBe(expected);
});
