// What a person may do to a running cluster beyond its API.
import {
  AdjustableClock,
  ConfigMap,
  CustomResourceDefinition,
  Deployment,
  isConditionTrue,
  Node,
  Pod,
} from "@kubewright/api";
import { dashboardUserAgent, hasCondition, waitFor } from "@kubewright/client";
import { type Cluster, type ClusterControls, clusterControls, rule, startCluster } from "@kubewright/cluster";
import { defineResource, z } from "@kubewright/schema";
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

test("a snapshot brings everything back: what was changed, deleted and made since, and its kinds", async () => {
  const { client } = cluster;
  const crdName = `${Gadget.plural}.${Gadget.group}`;
  const settled = (name: string, ready: number) =>
    vi.waitFor(
      async () => {
        const { status } = await client.get(Deployment, name, { namespace: "default" });
        expect(status?.readyReplicas ?? 0).toBe(ready);
        const { items } = await client.list(Pod, { namespace: "default", labelSelector: `app=${name}` });
        expect(items.map((pod) => pod.status?.phase)).toEqual(Array.from({ length: ready }, () => "Running"));
      },
      { timeout: 15_000 },
    );
  await client.apply(CustomResourceDefinition, Gadget.crd());
  await waitFor(client, CustomResourceDefinition, crdName, hasCondition("Established"));
  await client.create(Gadget, { metadata: { name: "kept", namespace: "default" }, spec: { size: 1 } });
  await client.create(Deployment, deploymentNamed("kept", 2));
  await settled("kept", 2);
  const podsOf = async (name: string) => {
    const { items } = await client.list(Pod, { namespace: "default", labelSelector: `app=${name}` });
    return items.map(({ metadata }) => metadata?.uid).sort();
  };
  const [pods, before] = [await podsOf("kept"), await client.get(Gadget, "kept", { namespace: "default" })];
  await controls.takeSnapshot("before");
  expect(await controls.snapshots()).toEqual([
    { name: "before", time: expect.any(String), objects: expect.any(Number) },
  ]);

  await client.delete(Deployment, "kept", { namespace: "default" });
  await client.create(Deployment, deploymentNamed("later", 1));
  await client.delete(CustomResourceDefinition, crdName);
  await settled("later", 1);
  await vi.waitFor(async () => expect(await podsOf("kept")).toEqual([]), { timeout: 15_000 });
  await vi.waitFor(() => expect(client.get(CustomResourceDefinition, crdName)).rejects.toThrow());

  await controls.restoreSnapshot("before");
  await settled("kept", 2);
  expect(await podsOf("kept"), "the same pods").toEqual(pods);
  await vi.waitFor(async () => expect(await podsOf("later")).toEqual([]));
  await expect(client.get(Deployment, "later", { namespace: "default" })).rejects.toThrow(/not found/);
  const after = await vi.waitFor(() => client.get(Gadget, "kept", { namespace: "default" }));
  expect(after).toMatchObject({ spec: { size: 1 }, metadata: { uid: before.metadata.uid } });
  expect(Number(after.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));
  await expect(controls.restoreSnapshot("other")).rejects.toThrow(/no snapshot "other"/);
}, 60_000);

test("a pod that was being deleted is there again after a restore, and stays", async () => {
  const { client } = cluster;
  const pod = {
    metadata: { name: "slow", namespace: "default" },
    spec: { terminationGracePeriodSeconds: 600, containers: [{ name: "c", image: "nginx" }] },
  };
  const phase = async () => (await client.get(Pod, "slow", { namespace: "default" })).status?.phase;
  await client.create(Pod, pod);
  await vi.waitFor(async () => expect(await phase()).toBe("Running"), { timeout: 15_000 });
  await controls.takeSnapshot("running");
  const slow = cluster.simulate(rule({ name: "slow" }, { stopTime: "5m" }));
  await client.delete(Pod, "slow", { namespace: "default" });
  expect((await client.get(Pod, "slow", { namespace: "default" })).metadata?.deletionTimestamp).toBeDefined();
  await controls.restoreSnapshot("running");
  slow.remove();
  await controls.advanceTime?.(700_000);
  const { metadata, status } = await client.get(Pod, "slow", { namespace: "default" });
  expect(metadata?.deletionTimestamp).toBeUndefined();
  expect(status?.phase).toBe("Running");
}, 60_000);

const Gadget = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Gadget",
  spec: z.object({ size: z.int().default(1) }),
});

const deploymentNamed = (name: string, replicas: number) => ({
  metadata: { name, namespace: "default" },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: "c", image: "nginx" }] },
    },
  },
});
