import { expect, test } from "vitest";
import { limitReplicas, remember, type ScalingHistory, type ScalingRequest } from "./scaling-rules.js";

const empty: ScalingHistory = { proposals: [], added: [], removed: [] };
const second = 1000;
const request = (change: Partial<ScalingRequest>): ScalingRequest => ({
  behavior: undefined,
  current: 5,
  desired: 5,
  min: 1,
  max: 20,
  history: empty,
  now: 1000 * second,
  ...change,
});
const proposed = (...proposals: [ago: number, replicas: number][]): ScalingHistory => ({
  ...empty,
  proposals: proposals.map(([ago, replicas]) => ({ time: (1000 - ago) * second, replicas })),
});
const added = (ago: number, replicas: number): ScalingHistory => ({
  ...empty,
  added: [{ time: (1000 - ago) * second, replicas }],
});
const policy = (type: string, value: number, periodSeconds = 60) => ({ type, value, periodSeconds });

test.each<[string, Partial<ScalingRequest>, number, string, string]>([
  ["nothing to do", {}, 5, "ReadyForNewScale", "DesiredWithinRange"],
  ["twice as many at once", { desired: 50 }, 10, "ReadyForNewScale", "ScaleUpLimit"],
  ["four at once when there are few", { current: 1, desired: 9 }, 4, "ReadyForNewScale", "ScaleUpLimit"],
  ["no more than the maximum", { desired: 50, max: 8 }, 8, "ReadyForNewScale", "TooManyReplicas"],
  ["no fewer than the minimum", { desired: 1, min: 2 }, 2, "ReadyForNewScale", "TooFewReplicas"],
  [
    "the highest proposal of five minutes when shrinking",
    { desired: 1, history: proposed([299, 4], [400, 9]) },
    4,
    "ScaleDownStabilized",
    "DesiredWithinRange",
  ],
  [
    "rules: as many pods as a policy adds",
    { desired: 20, behavior: { scaleUp: { policies: [policy("Pods", 2)] } } },
    7,
    "ReadyForNewScale",
    "ScaleUpLimit",
  ],
  [
    "rules: counted from the beginning of the period",
    { desired: 20, history: added(30, 1), behavior: { scaleUp: { policies: [policy("Pods", 2)] } } },
    6,
    "ReadyForNewScale",
    "ScaleUpLimit",
  ],
  [
    "rules: what was done before the period is forgotten",
    { desired: 20, history: added(90, 1), behavior: { scaleUp: { policies: [policy("Pods", 2)] } } },
    7,
    "ReadyForNewScale",
    "ScaleUpLimit",
  ],
  [
    "rules: the policy that allows most",
    { desired: 20, behavior: { scaleUp: { policies: [policy("Pods", 2), policy("Percent", 100)] } } },
    10,
    "ReadyForNewScale",
    "ScaleUpLimit",
  ],
  [
    "rules: the policy that allows least",
    {
      desired: 20,
      behavior: { scaleUp: { selectPolicy: "Min", policies: [policy("Pods", 2), policy("Percent", 100)] } },
    },
    7,
    "ReadyForNewScale",
    "ScaleUpLimit",
  ],
  [
    "rules: no scaling up at all",
    { desired: 20, behavior: { scaleUp: { selectPolicy: "Disabled" } } },
    5,
    "ReadyForNewScale",
    "ScaleUpLimit",
  ],
  [
    "rules: shrinking by a share, rounded",
    {
      desired: 1,
      behavior: { scaleDown: { stabilizationWindowSeconds: 0, policies: [policy("Percent", 10)] } },
    },
    4,
    "ReadyForNewScale",
    "ScaleDownLimit",
  ],
  [
    "rules: the lowest recent proposal when growing",
    { desired: 9, history: proposed([30, 6]), behavior: { scaleUp: { stabilizationWindowSeconds: 60 } } },
    6,
    "ScaleUpStabilized",
    "DesiredWithinRange",
  ],
  [
    "rules: nothing shrinks within the window",
    { desired: 1, history: proposed([30, 5]), behavior: { scaleDown: {} } },
    5,
    "ScaleDownStabilized",
    "DesiredWithinRange",
  ],
])("HorizontalPodAutoscaler behavior: %s", (_name, change, replicas, stabilized, limit) => {
  const limited = limitReplicas(request(change));
  expect([limited.replicas, limited.stabilized.reason, limited.limit.reason]).toEqual([
    replicas,
    stabilized,
    limit,
  ]);
  expect(limited.isLimited).toBe(limit !== "DesiredWithinRange");
});

test("HorizontalPodAutoscaler behavior: the history of recommendations and scale events lasts an hour", () => {
  const first = remember(empty, { desired: 9, current: 5, replicas: 8 }, 0);
  expect(first).toEqual({
    proposals: [{ time: 0, replicas: 9 }],
    added: [{ time: 0, replicas: 3 }],
    removed: [],
  });
  const later = remember(first, { desired: undefined, current: 8, replicas: 2 }, 3_600_001);
  expect(later).toEqual({ proposals: [], added: [], removed: [{ time: 3_600_001, replicas: 6 }] });
});
