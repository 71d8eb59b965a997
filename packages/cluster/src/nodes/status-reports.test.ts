import { findCondition, Node } from "@kubewright/api";
import { expect, test } from "vitest";
import { Simulation } from "./fixtures/simulation.js";
import { rule } from "./rules/check-rule.js";

const minute = 60;

const times = (node: Node | undefined, type = "Ready") => {
  const { lastHeartbeatTime = "", lastTransitionTime = "" } =
    findCondition(node?.status?.conditions, type) ?? {};
  return { heartbeat: Date.parse(lastHeartbeatTime), transition: Date.parse(lastTransitionTime) };
};

async function advance({ clock }: Simulation, minutes: number): Promise<void> {
  await clock.advance(minutes * minute * 1000);
}

test("node status: a healthy node reports at least every seven and a half minutes, and every five from then on", async () => {
  await using simulation = await Simulation.start();
  const { clock } = simulation;
  const [first] = await simulation.nodes();
  await advance(simulation, 8);
  const [second] = await simulation.nodes();
  expect(times(second).heartbeat).toBeGreaterThanOrEqual(times(first).heartbeat + 2.5 * minute * 1000);
  expect(times(second).transition).toBe(times(first).transition);
  expect(new Set(second?.status?.conditions?.map((one) => one.lastHeartbeatTime)).size).toBe(1);
  await advance(simulation, 24 * 60 + 1);
  const [third] = await simulation.nodes();
  expect(clock.now() - times(third).heartbeat).toBeLessThan(5 * minute * 1000);
  expect((times(third).heartbeat - times(second).heartbeat) % (5 * minute * 1000)).toBe(0);
  expect(third?.status?.conditions?.map(({ status, reason }) => [status, reason])).toEqual(
    first?.status?.conditions?.map(({ status, reason }) => [status, reason]),
  );
});

test("node status: reading twice between two reports writes nothing", async () => {
  await using simulation = await Simulation.start();
  await advance(simulation, 8);
  const [one] = await simulation.nodes();
  const [same] = await simulation.nodes();
  expect(same?.metadata?.resourceVersion).toBe(one?.metadata?.resourceVersion);
});

test("node status: a watch gets every report in time, of each node at another moment, and writes stop with the last watch", async () => {
  await using simulation = await Simulation.start({ nodes: 3 });
  const { clock, cluster } = simulation;
  const timers = clock.pending;
  const stop = new AbortController();
  const seen = new Map<string, number[]>();
  const watching = (async () => {
    for await (const { object } of cluster.client.watch(Node, {
      signal: stop.signal,
      timeoutSeconds: 86_400,
    })) {
      const name = object.metadata?.name ?? "";
      seen.set(name, [...(seen.get(name) ?? []), clock.now() - times(object).heartbeat]);
    }
  })().catch(() => undefined);
  await clock.settle();
  seen.clear();
  await advance(simulation, 60);
  stop.abort();
  await watching;
  expect([...seen.keys()].toSorted()).toEqual(["node-1", "node-2", "node-3"]);
  for (const delays of seen.values()) {
    expect(delays.length).toBeGreaterThanOrEqual(11);
    expect(delays.length).toBeLessThanOrEqual(12);
    for (const delay of delays) expect(delay).toBeLessThan(1000);
  }
  const found = await simulation.nodes();
  expect(new Set(found.map((node) => times(node).heartbeat)).size).toBe(3);
  await advance(simulation, 10);
  expect(clock.pending).toBeLessThanOrEqual(timers);
});

test("node status: the last heartbeat of a node that is down is that of its last report, and it reports when it is back", async () => {
  await using simulation = await Simulation.start();
  const { cluster, clock } = simulation;
  const [before] = await simulation.nodes();
  await advance(simulation, 23);
  const down = cluster.simulate(rule({ node: "node-1" }, { nodeDown: true }));
  const since = clock.now();
  await advance(simulation, 10);
  const [silent] = await simulation.nodes();
  expect(findCondition(silent?.status?.conditions, "Ready")?.status).toBe("Unknown");
  expect(times(silent).heartbeat).toBeLessThanOrEqual(since);
  expect(times(silent).heartbeat).toBeGreaterThan(since - 5 * minute * 1000);
  down.remove();
  await clock.settle();
  const [back] = await simulation.nodes();
  expect(times(back).heartbeat).toBeGreaterThan(since);
  expect(times(back).transition).toBeGreaterThan(times(before).transition);
});

test("node status: a node that was down for a moment is as ready as it was before", async () => {
  await using simulation = await Simulation.start();
  const { cluster } = simulation;
  const [before] = await simulation.nodes();
  const down = cluster.simulate(rule({ node: "node-1" }, { nodeDown: true }));
  await simulation.clock.advance(10_000);
  down.remove();
  const [back] = await simulation.nodes();
  expect(times(back).transition).toBe(times(before).transition);
  expect(times(back).heartbeat).toBeGreaterThan(times(before).heartbeat);
});
