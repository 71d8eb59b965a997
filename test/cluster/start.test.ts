import { Node, Pod } from "@kubewright/api";
import { startCluster } from "@kubewright/cluster";
import { expect, test } from "vitest";
import { VirtualCluster } from "./virtual-cluster.js";

test("an unknown controller is refused with those there are", async () => {
  await expect(startCluster({ controllers: ["deploymnt"] })).rejects.toThrow(
    /there is no controller "deploymnt"; there are: .*deployment, replicaset/,
  );
});

test("a cluster that has started takes pods at once", async () => {
  await using cluster = await startCluster();
  await cluster.client.create(Pod, {
    metadata: { name: "p", namespace: "default" },
    spec: { containers: [{ name: "c", image: "web:1" }] },
  });
});

test("starting and stopping leaves nothing behind", async () => {
  await using cluster = await VirtualCluster.start({ nodes: 2 });
  expect((await cluster.client.list(Node)).items.map(({ metadata }) => metadata?.name)).toEqual([
    "node-1",
    "node-2",
  ]);
});

test("a cluster of its API server alone has no nodes", async () => {
  await using cluster = await VirtualCluster.start({ nodes: 0, controllers: "none" });
  expect((await cluster.client.list(Node)).items).toEqual([]);
});

test("a cluster can be closed while it works", async () => {
  const cluster = await startCluster();
  const containers = [{ name: "c", image: "web:1" }];
  for (let at = 0; at < 20; at++)
    await cluster.client.create(Pod, {
      metadata: { name: `p-${at}`, namespace: "default" },
      spec: { containers },
    });
  await cluster.close();
});
