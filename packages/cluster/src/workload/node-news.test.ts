import type { Node, NodeCondition } from "@kubewright/api";
import { expect, test } from "vitest";
import { isNodeNews } from "./node-news.js";

const ready = (status: NodeCondition["status"], lastHeartbeatTime: string): NodeCondition => ({
  type: "Ready",
  status,
  lastHeartbeatTime,
});
const node = (parts: Partial<Node> = {}): Node => ({
  metadata: { name: "a", uid: "1", labels: { zone: "a" } },
  spec: { podCIDR: "10.244.0.0/24" },
  status: { conditions: [ready("True", "2026-01-01T00:00:00Z")], allocatable: { cpu: "4" } },
  ...parts,
});

test.each<[string, Node | undefined, Node | undefined, boolean]>([
  ["a new one", undefined, node(), true],
  ["one that is gone", node(), undefined, true],
  ["nothing", node(), node(), false],
  [
    "a heartbeat",
    node(),
    node({ status: { conditions: [ready("True", "2026-01-01T00:05:00Z")], allocatable: { cpu: "4" } } }),
    false,
  ],
  [
    "images",
    node(),
    node({ status: { ...node().status, images: [{ names: ["web:1"], sizeBytes: 5 }] } }),
    false,
  ],
  [
    "a condition",
    node(),
    node({ status: { conditions: [ready("Unknown", "2026-01-01T00:00:00Z")], allocatable: { cpu: "4" } } }),
    true,
  ],
  ["room", node(), node({ status: { ...node().status, allocatable: { cpu: "2" } } }), true],
  ["labels", node(), node({ metadata: { name: "a", uid: "1", labels: { zone: "b" } } }), true],
  ["a cordon", node(), node({ spec: { podCIDR: "10.244.0.0/24", unschedulable: true } }), true],
  ["another of the same name", node(), node({ metadata: { ...node().metadata, uid: "2" } }), true],
])("node events for controllers: %s", (_name, previous, current, expected) => {
  expect(isNodeNews(previous, current)).toBe(expected);
});
