import type { Pod, PodDisruptionBudget } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { chooseNode } from "./choose-node.js";
import { failureMessage } from "./fit-message.js";
import { cluster, node, pod } from "./fixtures/small-cluster.js";
import { ineligible, planPreemption } from "./preemption.js";
import type { ClusterState } from "./state/cluster-state.js";
import { podInfo } from "./state/pod-info.js";

/** `node: victims`, or why it would not help. */
function plan(one: Pod, state: ClusterState, budgets: readonly PodDisruptionBudget[] = []): string {
  const choice = chooseNode(podInfo(one), state, 0);
  if ("node" in choice) return `fits ${choice.node.name}`;
  const answer = planPreemption(choice.fitting, choice.failure, state, budgets);
  if ("failure" in answer) return failureMessage(answer.failure);
  const { node: name, victims } = answer.candidate;
  return `${name}: ${victims.map(({ pod: { metadata } }) => metadata?.name).join(" ")}`;
}

const important = (cpu: string) => pod("p", { cpu, priority: 100 });
const lesser = (name: string, cpu: string, priority = 0) => pod(name, { cpu, priority });

test("preemption: evicts the fewest pods that make room", () => {
  const state = cluster({
    nodes: [node("a")],
    pods: { a: [lesser("x", "1"), lesser("y", "1"), lesser("z", "2")] },
  });
  expect(plan(important("2"), state)).toBe("a: z");
  expect(state.node("a")?.pods.size).toBe(3);
  expect(state.node("a")?.requested.get("cpu")).toBe(4000);
});

test("preemption: evicts the least important pods first", () => {
  const state = cluster({ nodes: [node("a")], pods: { a: [lesser("x", "2", 10), lesser("y", "2", 5)] } });
  expect(plan(important("2"), state)).toBe("a: y");
});

test.each([
  [
    "nobody less important is there",
    { a: [lesser("x", "4", 100)] },
    "2",
    "1 No preemption victims found for incoming pod",
  ],
  ["no node is large enough", { a: [lesser("x", "4")] }, "8", "1 Preemption is not helpful for scheduling"],
  [
    "the remaining pods take too much",
    { a: [lesser("x", "3", 200), lesser("y", "1")] },
    "2",
    "1 Insufficient cpu",
  ],
])("preemption: does not help when %s", (_, pods, cpu, reason) => {
  expect(plan(important(cpu), cluster({ nodes: [node("a")], pods }))).toBe(
    `0/1 nodes are available: ${reason}.`,
  );
});

describe("preemption: of several nodes chooses", () => {
  const nodes = [node("a"), node("b")];
  const budget = (allowed: number): PodDisruptionBudget => ({
    metadata: { name: "keep", namespace: "default" },
    spec: { selector: { matchLabels: { app: "x" } } },
    status: { currentHealthy: 1, desiredHealthy: 1, expectedPods: 1, disruptionsAllowed: allowed },
  });
  const guarded = pod("x", { cpu: "4", labels: { app: "x" } });

  test("the one where no budget is violated", () => {
    const state = cluster({ nodes, pods: { a: [guarded], b: [lesser("y", "4", 50)] } });
    expect(plan(important("4"), state, [budget(0)])).toBe("b: y");
    expect(plan(important("4"), state, [budget(1)])).toBe("a: x");
  });

  test("the one whose most important victim is the least important", () => {
    const state = cluster({
      nodes,
      pods: { a: [lesser("x", "4", 20)], b: [lesser("y", "2", 10), lesser("z", "2", 10)] },
    });
    expect(plan(important("4"), state)).toBe("b: y z");
  });

  test("the one with fewer victims", () => {
    const state = cluster({
      nodes,
      pods: { a: [lesser("x", "2"), lesser("y", "2")], b: [lesser("z", "4")] },
    });
    expect(plan(important("4"), state)).toBe("b: z");
  });

  test("the one whose victims have run the shortest", () => {
    const since = (name: string, hour: string) =>
      pod(name, { cpu: "4", creationTimestamp: `2026-01-01T${hour}:00:00Z` });
    const state = cluster({ nodes, pods: { a: [since("x", "01")], b: [since("y", "02")] } });
    expect(plan(important("4"), state)).toBe("b: y");
  });
});

test("preemption: resolves the anti-affinity of a less important pod", () => {
  const term = { labelSelector: { matchLabels: { app: "web" } }, topologyKey: "kubernetes.io/hostname" };
  const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
  const state = cluster({ nodes: [node("a")], pods: { a: [pod("x", { spec: { affinity } })] } });
  expect(plan(pod("p", { priority: 1, labels: { app: "web" } }), state)).toBe("a: x");
});

test("preemption: room of a nominated pod that is more important is not given away", () => {
  const state = cluster({ nodes: [node("a")] });
  state.nominate(podInfo(pod("vip", { cpu: "3", priority: 1000 })), "a");
  expect(plan(important("2"), state)).toBe(
    "0/1 nodes are available: 1 No preemption victims found for incoming pod.",
  );
  expect(plan(pod("q", { cpu: "2", priority: 2000 }), state)).toBe("fits a");
});

test.each([
  [
    "its policy",
    pod("p", { spec: { preemptionPolicy: "Never" } }),
    "not eligible due to preemptionPolicy=Never.",
  ],
  [
    "victims that are still terminating",
    pod("p", { priority: 100, status: { nominatedNodeName: "a" } }),
    "not eligible due to a terminating pod on the nominated node.",
  ],
])("preemption: a pod may not preempt others because of %s", (_, one, reason) => {
  const conditions = [{ type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" }];
  const x = lesser("x", "4");
  const terminating = {
    ...x,
    metadata: { ...x.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
    status: { conditions },
  };
  const state = cluster({ nodes: [node("a")], pods: { a: [terminating] } });
  expect(ineligible(podInfo(one), { nodes: 1, misfits: new Map() }, state)).toBe(reason);
});
