// What a person may do to a running cluster beyond its API.
import { AdjustableClock, ConfigMap, isConditionTrue, Node } from "@kubewright/api";
import { dashboardUserAgent } from "@kubewright/client";
import { type Cluster, type ClusterControls, clusterControls, startCluster } from "@kubewright/cluster";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

const clock = new AdjustableClock();
let cluster: Cluster;
let controls: ClusterControls;
beforeAll(async () => {
  cluster = await startCluster({ nodes: 1, clock });
  controls = clusterControls(cluster, clock);
});
afterAll(() => cluster.close());

const isReady = async (): Promise<boolean> => {
  const { status } = await cluster.client.get(Node, "node-1");
  return isConditionTrue(status?.conditions ?? [], "Ready");
};

test("a node that is stopped is no longer ready a minute later, and is again when it is heard", async () => {
  await vi.waitFor(async () => expect(await isReady()).toBe(true));
  await controls.stopNode("node-1", true);
  await controls.advanceTime?.(120_000);
  await vi.waitFor(async () => expect(await isReady()).toBe(false), { timeout: 5_000 });
  await controls.stopNode("node-1", false);
  await controls.advanceTime?.(30_000);
  await vi.waitFor(async () => expect(await isReady()).toBe(true), { timeout: 5_000 });
});

test("requests fail on purpose until the faults are cleared, those of the dashboard never", async () => {
  const client = cluster.connect({ userAgent: "somebody" });
  const dashboard = cluster.connect({ userAgent: dashboardUserAgent });
  const list = { namespace: "default" };
  await controls.injectFault({ verb: "list", resource: "configmaps", status: 500, percent: 100 });
  await expect(client.list(ConfigMap, list)).rejects.toThrow(/on purpose/);
  await expect(client.list(Node)).resolves.toBeDefined();
  await expect(dashboard.list(ConfigMap, list)).resolves.toBeDefined();
  await controls.clearFaults();
  await expect(client.list(ConfigMap, list)).resolves.toBeDefined();
});

test("a cluster on the system's clock has no control of time", () => {
  expect(clusterControls(cluster).advanceTime).toBeUndefined();
});
