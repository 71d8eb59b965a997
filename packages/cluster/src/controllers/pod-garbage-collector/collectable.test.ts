import type { Node, Pod } from "@kubewright/api";
import { expect, test } from "vitest";
import { collectionOf, surplus } from "./collectable.js";

const pod = (nodeName: string, isTerminating = false): Pod => ({
  metadata: { name: "p", ...(isTerminating ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}) },
  spec: { containers: [], ...(nodeName ? { nodeName } : {}) },
});
const node = (ready: "True" | "Unknown", key = "other"): Node => ({
  metadata: { name: "a" },
  spec: { taints: [{ key, effect: "NoExecute" }] },
  status: { conditions: [{ type: "Ready", status: ready }] },
});
const outOfService = "node.kubernetes.io/out-of-service";

test.each([
  ["waiting for a node", pod(""), undefined, undefined],
  ["deleted before it had a node", pod("", true), undefined, "unscheduled"],
  ["on a node", pod("a"), node("True"), undefined],
  ["on a node that is gone", pod("a"), undefined, "orphaned"],
  ["deleted on a silent node", pod("a", true), node("Unknown"), undefined],
  ["deleted on a node given up", pod("a", true), node("Unknown", outOfService), "out-of-service"],
  ["staying on a node given up", pod("a"), node("Unknown", outOfService), undefined],
  ["deleted on a node that lives", pod("a", true), node("True", outOfService), undefined],
])("pod garbage collector: a pod %s", (_, one, its, expected) => {
  expect(collectionOf(one, its)).toBe(expected);
});

test("pod garbage collector: above the threshold evicted and then the oldest finished pods are deleted first", () => {
  const finished = (name: string, day: number, reason?: string): Pod => ({
    metadata: { name, creationTimestamp: `2026-01-0${day}T00:00:00Z` },
    status: { phase: "Failed", reason },
  });
  const pods = [
    finished("new", 3),
    finished("old", 1),
    finished("evicted", 4, "Evicted"),
    { metadata: { name: "running" } },
  ];
  expect(surplus(pods, 1).map(({ metadata }) => metadata?.name)).toEqual(["evicted", "old"]);
  expect(surplus(pods, 3)).toEqual([]);
});
