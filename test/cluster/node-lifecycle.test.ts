import { Deployment, Node, Pod } from "@kubewright/api";
import { expect, test } from "vitest";
import { VirtualCluster, web } from "./virtual-cluster.js";

const namespace = "default";

const taintsOf = async (cluster: VirtualCluster) =>
  ((await cluster.client.get(Node, "node-1")).spec?.taints ?? []).map(
    ({ key, effect }) => `${key}:${effect}`,
  );

test("a node that goes silent is marked, loses its pods after five minutes, and is taken back", async () => {
  await using cluster = await VirtualCluster.start({ nodes: 2 });
  await cluster.client.create(Deployment, web({ replicas: 2 }));
  await cluster.rest();
  const down = cluster.cluster.simulate({ match: { node: "node-1" }, effects: { nodeDown: true } });
  await cluster.clock.advance(49_000);
  expect(await taintsOf(cluster)).toEqual([]);

  await cluster.clock.advance(2_000);
  expect(await taintsOf(cluster)).toEqual([
    "node.kubernetes.io/unreachable:NoSchedule",
    "node.kubernetes.io/unreachable:NoExecute",
  ]);
  const { status } = await cluster.client.get(Node, "node-1");
  expect(status?.conditions?.find(({ type }) => type === "Ready")).toMatchObject({
    status: "Unknown",
    reason: "NodeStatusUnknown",
    message: "Kubelet stopped posting node status.",
  });
  expect((await cluster.deployment("web")).status?.readyReplicas).toBe(1);

  await cluster.clock.advance(301_000);
  const pods = await cluster.pods();
  expect(pods.filter(({ metadata }) => metadata?.deletionTimestamp)).toHaveLength(1);
  expect(pods.filter(({ spec }) => spec?.nodeName === "node-2")).toHaveLength(2);
  expect((await cluster.deployment("web")).status?.readyReplicas).toBe(2);

  down.remove();
  await cluster.clock.advance(1_000);
  expect(await taintsOf(cluster)).toEqual([]);
  expect(await cluster.pods()).toHaveLength(2);
});

test("nodes are given up one after the other, and none is when no node is left", async () => {
  await using cluster = await VirtualCluster.start({ nodes: 5 });
  const expelled = async () =>
    (await cluster.client.list(Node)).items
      .filter(({ spec }) => spec?.taints?.some(({ effect }) => effect === "NoExecute"))
      .map(({ metadata }) => metadata?.name);
  const goDown = (node: string) => cluster.cluster.simulate({ match: { node }, effects: { nodeDown: true } });
  const downs = [goDown("node-1"), goDown("node-2")];
  await cluster.clock.advance(51_000);
  expect(await expelled()).toEqual(["node-1"]);
  await cluster.clock.advance(10_000);
  expect(await expelled()).toEqual(["node-1", "node-2"]);
  downs.push(goDown("node-3"), goDown("node-4"), goDown("node-5"));
  await cluster.clock.advance(120_000);
  expect(await expelled()).toEqual([]);
  expect((await cluster.client.get(Node, "node-3")).spec?.taints).toMatchObject([
    { key: "node.kubernetes.io/unreachable", effect: "NoSchedule" },
  ]);
  downs[4]?.remove();
  downs[3]?.remove();
  downs[2]?.remove();
  await cluster.clock.advance(60_000);
  expect(await expelled()).toEqual(["node-1", "node-2"]);
});

test("pods of a node that is deleted go with it", async () => {
  await using cluster = await VirtualCluster.start({ nodes: 1 });
  await cluster.client.create(Pod, {
    metadata: { name: "a", namespace },
    spec: { containers: [{ name: "c", image: "web:1" }] },
  });
  await cluster.rest();
  await cluster.client.delete(Node, "node-1");
  await cluster.clock.advance(41_000);
  expect(await cluster.pods()).toEqual([]);
  expect(await cluster.events("Node")).toContain(
    "RemovingNode: Node node-1 event: Removing Node node-1 from Controller",
  );
});

test("an administrator gives a node up, and its pods are gone for good", async () => {
  await using cluster = await VirtualCluster.start({ nodes: 1 });
  await cluster.client.create(Pod, {
    metadata: { name: "a", namespace },
    spec: { containers: [{ name: "c", image: "web:1" }] },
  });
  await cluster.rest();
  cluster.cluster.simulate({ match: { node: "node-1" }, effects: { nodeDown: true } });
  await cluster.clock.advance(60_000);
  await cluster.client.delete(Pod, "a", { namespace });
  await cluster.clock.advance(60_000);
  expect(await cluster.pods()).toHaveLength(1);
  const { spec } = await cluster.client.get(Node, "node-1");
  const taint = { key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoExecute" };
  await cluster.client.patch(Node, "node-1", {
    merge: { spec: { taints: [...(spec?.taints ?? []), taint] } },
  });
  await cluster.rest();
  expect(await cluster.pods()).toEqual([]);
});

test("a cordoned node shows a taint and takes no pods", async () => {
  await using cluster = await VirtualCluster.start({ nodes: 1 });
  await cluster.client.patch(Node, "node-1", { merge: { spec: { unschedulable: true } } });
  await cluster.rest();
  expect(await taintsOf(cluster)).toEqual(["node.kubernetes.io/unschedulable:NoSchedule"]);
});

test("nodes say how long kubelets may use what they have read, a person's change is undone", async () => {
  await using cluster = await VirtualCluster.start({ nodes: 2 });
  await cluster.rest();
  const ttls = async () =>
    (await cluster.client.list(Node)).items.map(
      ({ metadata }) => metadata?.annotations?.["node.alpha.kubernetes.io/ttl"],
    );
  expect(await ttls()).toEqual(["0", "0"]);
  const merge = { metadata: { annotations: { "node.alpha.kubernetes.io/ttl": "7" } } };
  await cluster.client.patch(Node, "node-1", { merge });
  await cluster.rest();
  expect(await ttls()).toEqual(["0", "0"]);
});
