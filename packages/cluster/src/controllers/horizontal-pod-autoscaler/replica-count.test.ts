import type { Pod } from "@kubewright/api";
import { expect, test } from "vitest";
import { goSelector } from "../../workload/go-selector.js";
import {
  averageReplicas,
  type ReplicaCountInput,
  sharedReplicas,
  utilizationReplicas,
  valueReplicas,
} from "./replica-count.js";

const now = Date.parse("2026-01-01T01:00:00Z");
const tolerances = { up: 0.1, down: 0.1 };

/** `a` is a ready pod; marks: `n` not ready since its start, `p` pending, `t` terminating, `f` failed. */
function pods(text: string): Pod[] {
  return text
    .split(" ")
    .filter(Boolean)
    .map((word): Pod => {
      const has = (mark: string): boolean => word.slice(1).includes(mark);
      const startTime = "2026-01-01T00:00:00Z";
      return {
        metadata: { name: word[0], ...(has("t") ? { deletionTimestamp: startTime } : {}) },
        status: {
          phase: has("f") ? "Failed" : has("p") ? "Pending" : "Running",
          startTime,
          conditions: [{ type: "Ready", status: has("n") ? "False" : "True", lastTransitionTime: startTime }],
        },
      };
    });
}

function input(there: string, usage: Record<string, number>, isCpu = true): ReplicaCountInput {
  const list = pods(there);
  const currentReplicas = list.length;
  return { pods: list, usage: new Map(Object.entries(usage)), isCpu, currentReplicas, tolerances, now };
}

const requests = () => new Map(["a", "b", "c", "d", "e"].map((name) => [name, 1000]));

test.each<[string, string, Record<string, number>, number, number]>([
  ["above target", "a b c", { a: 600, b: 600, c: 600 }, 3 * 2, 60],
  ["at the target", "a b c", { a: 300, b: 300, c: 300 }, 3, 30],
  ["within the tolerance", "a b c", { a: 320, b: 320, c: 320 }, 3, 32],
  ["below target", "a b c d", { a: 100, b: 100, c: 100, d: 100 }, 2, 10],
  ["growing, unready pods use nothing", "a b cn", { a: 600, b: 600, c: 600 }, 4, 60],
  ["growing, pending pods use nothing", "a b cp", { a: 600, b: 600 }, 4, 60],
  ["growing, unknown pods use nothing", "a b c", { a: 600, b: 600 }, 4, 60],
  ["unknown pods must not turn growth into shrinking", "a b c d e", { a: 400 }, 5, 40],
  ["shrinking, unknown pods use all they asked for", "a b c", { a: 100, b: 100 }, 3, 10],
  ["terminating pods do not count", "a b ct", { a: 600, b: 600, c: 0 }, 4, 60],
  ["failed pods do not count", "a b cf", { a: 600, b: 600 }, 4, 60],
])("HorizontalPodAutoscaler replicas: %s", (_name, there, usage, replicas, utilization) => {
  expect(utilizationReplicas(input(there, usage), requests, 30)).toMatchObject({ replicas, utilization });
});

test("HorizontalPodAutoscaler replicas: readiness counts for cpu alone", () => {
  expect(averageReplicas(input("a b cn", { a: 600, b: 600, c: 600 }, false), 300).replicas).toBe(6);
});

test.each([
  ["", {}, "no pods returned by selector while calculating replica count"],
  ["ap", { a: 1 }, "did not receive metrics for targeted pods (pods might be unready)"],
])("HorizontalPodAutoscaler replicas: pods %j with %j: %s", (there, usage, message) => {
  expect(() => averageReplicas(input(there, usage), 300)).toThrow(message);
});

test.each([
  ["shares a value out among replicas", sharedReplicas(100, 10, 5, tolerances), { replicas: 10, usage: 20 }],
  ["leaves them when it is about right", sharedReplicas(52, 10, 5, tolerances), { replicas: 5, usage: 11 }],
  [
    "scales ready pods by a value",
    valueReplicas(40, 20, 3, pods("a b cn"), tolerances),
    { replicas: 4, usage: 40 },
  ],
  ["starts from nothing", valueReplicas(40, 20, 0, [], tolerances), { replicas: 2, usage: 40 }],
])("HorizontalPodAutoscaler replicas: %s", (_name, count, expected) => {
  expect(count).toEqual(expected);
});

test("HorizontalPodAutoscaler messages: selectors are printed as Go does", () => {
  expect(goSelector(undefined)).toBe("nil");
  expect(goSelector({ matchLabels: { topic: "a" } })).toBe(
    "&LabelSelector{MatchLabels:map[string]string{topic: a,},MatchExpressions:[]LabelSelectorRequirement{},}",
  );
});
