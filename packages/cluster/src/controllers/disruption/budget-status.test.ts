import type { Pod, PodDisruptionBudget, PodDisruptionBudgetSpec } from "@kubewright/api";
import { expect, test } from "vitest";
import { budgetStatus, countHealthy, failedStatus, needsScale, pendingDisruptions } from "./budget-status.js";

const now = Date.parse("2026-01-01T00:10:00Z");
const budget = (
  spec: PodDisruptionBudgetSpec,
  disruptedPods?: Record<string, string>,
): PodDisruptionBudget => ({
  metadata: { name: "b", generation: 2 },
  spec,
  ...(disruptedPods
    ? {
        status: {
          currentHealthy: 0,
          desiredHealthy: 0,
          disruptionsAllowed: 0,
          expectedPods: 0,
          disruptedPods,
        },
      }
    : {}),
});
const pod = (name: string, isReady = true, deletionTimestamp?: string): Pod => ({
  metadata: { name, ...(deletionTimestamp ? { deletionTimestamp } : {}) },
  status: { conditions: [{ type: "Ready", status: isReady ? "True" : "False" }] },
});

test.each<[PodDisruptionBudgetSpec, number, number, [desired: number, allowed: number]]>([
  [{ minAvailable: 2 }, 3, 3, [2, 1]],
  [{ minAvailable: 2 }, 1, 3, [2, 0]],
  [{ minAvailable: "50%" }, 5, 5, [3, 2]],
  [{ maxUnavailable: 1 }, 3, 3, [2, 1]],
  [{ maxUnavailable: "30%" }, 4, 4, [2, 2]],
  [{ maxUnavailable: 9 }, 3, 3, [0, 3]],
  [{ minAvailable: 0 }, 0, 0, [0, 0]],
])(
  "PodDisruptionBudget: %j with %i healthy of %i",
  (spec, healthy, expected, [desiredHealthy, disruptionsAllowed]) => {
    const status = budgetStatus(budget(spec), { healthy, expected, disruptedPods: {} }, now);
    expect(status).toMatchObject({ desiredHealthy, disruptionsAllowed, observedGeneration: 2 });
    expect(status.conditions).toMatchObject([
      disruptionsAllowed > 0
        ? { type: "DisruptionAllowed", status: "True", reason: "SufficientPods" }
        : { type: "DisruptionAllowed", status: "False", reason: "InsufficientPods" },
    ]);
  },
);

test("PodDisruptionBudget: a pod whose eviction was granted counts as disrupted until its deletion is overdue", () => {
  const pods = [pod("fresh"), pod("overdue"), pod("terminating", true, "2026-01-01T00:09:00Z"), pod("other")];
  const subject = budget(
    { minAvailable: 1 },
    {
      fresh: "2026-01-01T00:09:00Z",
      overdue: "2026-01-01T00:07:00Z",
      terminating: "2026-01-01T00:09:00Z",
      gone: "2026-01-01T00:09:00Z",
    },
  );
  const pending = pendingDisruptions(subject, pods, now);
  expect(pending.disruptedPods).toEqual({ fresh: "2026-01-01T00:09:00Z" });
  expect(pending.overdue).toEqual([pods[1]]);
  expect(pending.recheck).toBe(60_001);
  expect(countHealthy(pods, pending.disruptedPods)).toBe(2);
  expect(countHealthy([pod("toString", true), pod("unready", false)], {})).toBe(1);
});

test("PodDisruptionBudget: allows no disruption when the expected number of pods is not known", () => {
  expect(failedStatus(budget({ maxUnavailable: 1 }), "why", now)).toMatchObject({
    disruptionsAllowed: 0,
    conditions: [{ type: "DisruptionAllowed", status: "False", reason: "SyncFailed", message: "why" }],
  });
});

test.each<[PodDisruptionBudgetSpec, boolean]>([
  [{ minAvailable: 1 }, false],
  [{ minAvailable: "10%" }, true],
  [{ maxUnavailable: 1 }, true],
])("PodDisruptionBudget: %j needs the scale of owners: %s", (spec, expected) => {
  expect(needsScale(budget(spec))).toBe(expected);
});
