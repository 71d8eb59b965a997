import type { Node } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { EvictionPace } from "./eviction-pace.js";
import { Zones, zoneOf } from "./zones.js";

const node = (name: string, isReady: boolean, zone = "a", labels = {}): Node => ({
  metadata: { name, labels: { "topology.kubernetes.io/zone": zone, ...labels } },
  status: { conditions: [{ type: "Ready", status: isReady ? "True" : "Unknown" }] },
});

/** So many ready and not ready nodes in zones. */
function zonesOf(counts: Readonly<Record<string, readonly [ready: number, notReady: number]>>): Zones {
  const zones = new Zones();
  for (const [zone, [ready, notReady]] of Object.entries(counts)) {
    for (let at = 0; at < ready; at++) zones.update(undefined, node(`${zone}${at}`, true, zone));
    for (let at = 0; at < notReady; at++) zones.update(undefined, node(`${zone}x${at}`, false, zone));
  }
  return zones;
}

const zone = zoneOf(node("n", true));

describe("node lifecycle: a zone", () => {
  test.each([
    [5, 0, "normal"],
    [1, 1, "normal"],
    [0, 1, "full"],
    [1, 2, "normal"],
    [2, 3, "partial"],
    [3, 3, "normal"],
    [45, 55, "partial"],
    [46, 54, "normal"],
  ] as const)("with %i ready nodes and %i others is %s", (ready, notReady, state) => {
    expect(zonesOf({ a: [ready, notReady] }).state(zone)).toBe(state);
  });

  test("reports a change of its state", () => {
    const zones = zonesOf({ a: [1, 0] });
    expect(zones.update(undefined, node("b", true))).toBe(false);
    expect(zones.update(node("b", true), node("b", false))).toBe(false);
    expect(zones.update(node("a0", true), node("a0", false))).toBe(true);
    expect(zones.isAllDisrupted).toBe(true);
    expect(zones.update(undefined, node("c", true, "other"))).toBe(true);
    expect(zones.update(node("c", true, "other"), undefined)).toBe(true);
  });

  test("does not count excluded nodes", () => {
    const zones = zonesOf({ a: [1, 1] });
    zones.update(undefined, node("x", false, "a", { "node.kubernetes.io/exclude-disruption": "" }));
    expect(zones.size(zone)).toBe(2);
  });
});

describe("node lifecycle: nodes are tainted for eviction", () => {
  test("one in ten seconds", () => {
    const pace = new EvictionPace(zonesOf({ a: [5, 3] }));
    expect(pace.ask(zone, 0)).toBe(0);
    expect(pace.ask(zone, 0)).toBe(10_000);
    expect(pace.ask(zone, 4_000)).toBe(6_000);
    expect(pace.ask(zone, 10_000)).toBe(0);
    expect(pace.ask(zone, 60_000)).toBe(0);
    expect(pace.ask(zone, 60_000)).toBe(10_000);
  });

  test("at the usual rate where a whole zone is not ready, but others are", () => {
    const pace = new EvictionPace(zonesOf({ a: [0, 3], b: [3, 0] }));
    expect(pace.ask(zone, 0)).toBe(0);
  });

  test.each([
    ["not at all where most of a small zone is not ready", { a: [2, 3], b: [5, 0] }],
    ["not at all when no node is ready anywhere", { a: [0, 3], b: [0, 1] }],
  ] as const)("%s", (_name, counts) => {
    expect(new EvictionPace(zonesOf(counts)).ask(zone, 0)).toBeUndefined();
  });

  test("one in a hundred seconds where most of a large zone is not ready", () => {
    const zones = zonesOf({ a: [30, 10] });
    const pace = new EvictionPace(zones);
    expect(pace.ask(zone, 0)).toBe(0);
    for (let at = 0; at < 30; at++) zones.update(undefined, node(`y${at}`, false));
    expect(pace.ask(zone, 5_000)).toBe(100_000);
    expect(pace.ask(zone, 105_000)).toBe(0);
  });
});
