import type { Endpoint, Node } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { isTopologyAware, shareOut, zoneShares } from "./topology-hints.js";

const endpoints = (counts: Readonly<Record<string, number>>): Endpoint[] =>
  Object.entries(counts).flatMap(([zone, count]) =>
    Array.from({ length: count }, () => ({ addresses: ["10.0.0.1"], conditions: { ready: true }, zone })),
  );
const shares = (parts: Readonly<Record<string, number>>) => new Map(Object.entries(parts));
const counted = (zones: readonly (string | undefined)[]) => {
  const counts: Record<string, number> = {};
  for (const zone of zones) counts[zone ?? "none"] = (counts[zone ?? "none"] ?? 0) + 1;
  return counts;
};

describe("topology hints", () => {
  test.each([
    [
      { a: 3, b: 3 },
      { a: 0.5, b: 0.5 },
      { a: 3, b: 3 },
    ],
    [{ a: 6 }, { a: 0.5, b: 0.5 }, { a: 3, b: 3 }],
    [
      { a: 4, b: 1, c: 1 },
      { a: 1 / 3, b: 1 / 3, c: 1 / 3 },
      { a: 2, b: 2, c: 2 },
    ],
    [
      { a: 9, b: 1 },
      { a: 0.8, b: 0.2 },
      { a: 8, b: 2 },
    ],
    [
      { a: 5, other: 1 },
      { a: 0.5, b: 0.5 },
      { a: 3, b: 2, other: 1 },
    ],
  ])("endpoints %j for CPU shares %j: %j", (found, zones, expected) => {
    const hints = shareOut(endpoints(found), shares(zones));
    expect(hints.problem).toBeUndefined();
    if (hints.problem === undefined) expect(counted(hints.zones)).toEqual(expected);
  });

  test("leave out endpoints that are not ready", () => {
    const waiting: Endpoint = { addresses: ["10.0.0.9"], conditions: { ready: false }, zone: "a" };
    const hints = shareOut([...endpoints({ a: 1, b: 1 }), waiting], shares({ a: 0.5, b: 0.5 }));
    expect(hints).toEqual({ zones: ["a", "b", undefined] });
  });

  test.each([
    [
      endpoints({ a: 1 }),
      undefined,
      "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes",
    ],
    [endpoints({ a: 1 }), { a: 0.5, b: 0.5 }, "Insufficient number of endpoints (1 endpoints, 2 zones)"],
    [
      endpoints({ a: 2, b: 1 }),
      { a: 0.5, b: 0.5 },
      "Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (3 endpoints, 2 zones)",
    ],
    [
      [...endpoints({ a: 1 }), { addresses: ["10.0.0.9"], conditions: { ready: true } }],
      { a: 0.5, b: 0.5 },
      "One or more endpoints do not have a zone specified",
    ],
  ])("are left out with a reason: %#", (found, zones, problem) => {
    expect(shareOut(found, zones && shares(zones))).toEqual({ problem });
  });
});

describe("topology hints: CPU shares of zones", () => {
  const node = (zone: string | undefined, cpu: string, isReady = true, labels = {}): Node => ({
    metadata: { labels: { ...(zone ? { "topology.kubernetes.io/zone": zone } : {}), ...labels } },
    status: {
      allocatable: { cpu },
      conditions: [{ type: "Ready", status: isReady ? "True" : "False" }],
    },
  });
  test.each([
    ["by processors", [node("a", "6"), node("b", "1500m"), node("b", "500m")], { a: 0.75, b: 0.25 }],
    [
      "without nodes that are not ready",
      [node("a", "1"), node("b", "1"), node("b", "8", false)],
      { a: 0.5, b: 0.5 },
    ],
    [
      "without the control plane",
      [
        node("a", "1"),
        node("b", "1"),
        node(undefined, "8", true, { "node-role.kubernetes.io/control-plane": "" }),
      ],
      { a: 0.5, b: 0.5 },
    ],
    ["of one zone are none", [node("a", "1"), node("a", "1")], undefined],
    ["are none when a node has no zone", [node("a", "1"), node("b", "1"), node(undefined, "1")], undefined],
  ])("%s", (_name, nodes, expected) => {
    const found = zoneShares(nodes);
    expect(found && Object.fromEntries(found)).toEqual(expected);
  });
});

test.each([
  [{ "service.kubernetes.io/topology-mode": "Auto" }, true],
  [{ "service.kubernetes.io/topology-mode": "auto" }, true],
  [{ "service.kubernetes.io/topology-aware-hints": "auto" }, true],
  [{ "service.kubernetes.io/topology-mode": "Disabled" }, false],
  [{}, false],
])("topology hints: %j asks for them: %s", (annotations, expected) => {
  expect(isTopologyAware({ metadata: { annotations } })).toBe(expected);
});
