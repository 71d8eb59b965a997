import { DaemonSet, type DaemonSetSpec, Node } from "@kubewright/api";
import { expect, test } from "vitest";
import { VirtualCluster } from "./virtual-cluster.js";

const inDefault = { namespace: "default" };
const labels = { app: "agent" };

const agent = (spec: Partial<DaemonSetSpec> = {}): DaemonSet => ({
  metadata: { name: "agent", ...inDefault },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "agent:1" }] } },
    ...spec,
  },
});

async function start(spec?: Partial<DaemonSetSpec>): Promise<VirtualCluster> {
  const cluster = await VirtualCluster.start({ nodes: 3 });
  await cluster.client.create(DaemonSet, agent(spec));
  await cluster.rest();
  return cluster;
}

const nodesOf = async (cluster: VirtualCluster) =>
  (await cluster.pods()).map(({ spec }) => spec?.nodeName).toSorted();

test("every node has one pod", async () => {
  await using cluster = await start();
  expect(await nodesOf(cluster)).toEqual(["node-1", "node-2", "node-3"]);
  expect((await cluster.client.get(DaemonSet, "agent", inDefault)).status).toMatchObject({
    desiredNumberScheduled: 3,
    currentNumberScheduled: 3,
    numberReady: 3,
    numberAvailable: 3,
    updatedNumberScheduled: 3,
    numberMisscheduled: 0,
  });
});

test("labels and taints decide which nodes", async () => {
  const template = {
    metadata: { labels },
    spec: { nodeSelector: { disk: "ssd" }, containers: [{ name: "c", image: "agent:1" }] },
  };
  await using cluster = await start({ template });
  expect(await nodesOf(cluster)).toEqual([]);
  for (const name of ["node-1", "node-2"])
    await cluster.client.patch(Node, name, { merge: { metadata: { labels: { disk: "ssd" } } } });
  await cluster.rest();
  expect(await nodesOf(cluster)).toEqual(["node-1", "node-2"]);
  const taints = [{ key: "broken", effect: "NoExecute" }];
  await cluster.client.patch(Node, "node-1", { merge: { spec: { taints } } });
  await cluster.rest();
  expect(await nodesOf(cluster)).toEqual(["node-2"]);
});

test("a new template reaches every node, one at a time", async () => {
  await using cluster = await start();
  const watch = cluster.client.watch(DaemonSet, inDefault);
  let most = 0;
  const watching = (async () => {
    for await (const { object } of watch) most = Math.max(most, object.status?.numberUnavailable ?? 0);
  })();
  await cluster.rest();
  most = 0;
  const strategic = { spec: { template: { spec: { containers: [{ name: "c", image: "agent:2" }] } } } };
  await cluster.client.patch(DaemonSet, "agent", { strategic }, inDefault);
  await cluster.rest();
  await watch.return?.();
  await watching;
  expect(most).toBe(1);
  const images = (await cluster.pods()).map(({ spec }) => spec?.containers[0]?.image);
  expect(images).toEqual(["agent:2", "agent:2", "agent:2"]);
});
