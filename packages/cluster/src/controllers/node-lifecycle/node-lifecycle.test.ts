import type { Lease, Node, NodeCondition, NodeSpec, Taint } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { nodeHealth } from "./node-health.js";
import { nodeTaints } from "./node-taints.js";

const start = Date.UTC(2026, 0, 1);
const at = (seconds: number) => new Date(start + seconds * 1000).toISOString();

const condition = (type: string, status: string): NodeCondition => ({
  type,
  status: status === "True" ? "True" : status === "False" ? "False" : "Unknown",
  lastHeartbeatTime: at(0),
});
const node = (conditions: readonly NodeCondition[], spec: NodeSpec = {}): Node => ({
  metadata: { name: "a", creationTimestamp: at(0) },
  spec,
  status: { conditions },
});
const lease = (seconds: number, annotations = {}): Lease => ({
  metadata: { name: "a", namespace: "kube-node-lease", annotations },
  spec: { renewTime: at(seconds) },
});
const ready = [condition("Ready", "True")];

describe("node lifecycle: a node", () => {
  test.each([
    ["with a fresh lease is alive", node(ready), lease(100), 110, { is: "alive", until: 40_000 }],
    [
      "whose lease was renewed just now is alive",
      node(ready),
      lease(100),
      100,
      { is: "alive", until: 50_000 },
    ],
    [
      "whose lease is renewed on demand is always alive",
      node(ready),
      lease(0, { "kubewright.dev/renewal": "on-demand" }),
      9_000,
      { is: "alive" },
    ],
    ["without a lease is alive by its status", node(ready), undefined, 10, { is: "alive", until: 40_000 }],
    ["without a heartbeat has a minute", node([]), undefined, 50, { is: "alive", until: 10_000 }],
  ] as const)("%s", (_, one, its, now, expected) => {
    expect(nodeHealth(one, its, start + now * 1000)).toEqual(expected);
  });

  test.each([
    [
      "that has gone silent",
      node(ready),
      lease(100),
      150,
      "NodeStatusUnknown",
      "Kubelet stopped posting node status.",
    ],
    [
      "that never spoke",
      node([]),
      undefined,
      60,
      "NodeStatusNeverUpdated",
      "Kubelet never posted node status.",
    ],
  ] as const)("%s is unknown", (_, one, its, now, reason, message) => {
    const health = nodeHealth(one, its, start + now * 1000);
    expect(health).toMatchObject({ is: "silent" });
    if (health.is === "silent")
      expect(health.conditions[0]).toMatchObject({ type: "Ready", status: "Unknown", reason, message });
  });
});

describe("node lifecycle: taints", () => {
  const own: Taint = { key: "dedicated", value: "gpu", effect: "NoSchedule" };
  test.each([
    ["a ready node", ready, {}, []],
    [
      "a node that is not ready",
      [condition("Ready", "False")],
      {},
      ["node.kubernetes.io/not-ready:NoSchedule", "node.kubernetes.io/not-ready:NoExecute"],
    ],
    [
      "a node that cannot be reached",
      [condition("Ready", "Unknown")],
      {},
      ["node.kubernetes.io/unreachable:NoSchedule", "node.kubernetes.io/unreachable:NoExecute"],
    ],
    [
      "a node under pressure",
      [...ready, condition("DiskPressure", "True")],
      {},
      ["node.kubernetes.io/disk-pressure:NoSchedule"],
    ],
    ["a cordoned node", ready, { unschedulable: true }, ["node.kubernetes.io/unschedulable:NoSchedule"]],
    [
      "a node that is back",
      ready,
      { taints: [own, { key: "node.kubernetes.io/unreachable", effect: "NoExecute" as const }] },
      ["dedicated:NoSchedule"],
    ],
    ["a node before it spoke", [], {}, ["node.kubernetes.io/not-ready:NoSchedule"]],
  ])("of %s", (_, conditions, spec, expected) => {
    expect(
      nodeTaints(node(conditions, spec), start, { mayExpel: true }).map(
        ({ key, effect }) => `${key}:${effect}`,
      ),
    ).toEqual(expected);
  });

  test("have no NoExecute while evictions are stopped", () => {
    const taints = nodeTaints(node([condition("Ready", "Unknown")]), start, { mayExpel: false });
    expect(taints).toEqual([expect.objectContaining({ effect: "NoSchedule" })]);
  });

  test("keep the time they were added", () => {
    const taint: Taint = { key: "node.kubernetes.io/unreachable", effect: "NoExecute", timeAdded: at(5) };
    const taints = nodeTaints(node([condition("Ready", "Unknown")], { taints: [taint] }), start + 60_000, {
      mayExpel: true,
    });
    expect(taints).toContainEqual(taint);
  });
});
