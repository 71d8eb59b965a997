import { Deployment, EndpointSlice, Endpoints, Service } from "@kubewright/api";
import { expect, test } from "vitest";
import { VirtualCluster, web } from "./virtual-cluster.js";

const namespace = "default";
const service: Service = {
  metadata: { name: "web", namespace },
  spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
};
const slices = async ({ client }: VirtualCluster) =>
  (await client.list(EndpointSlice, { namespace, labelSelector: "kubernetes.io/service-name=web" })).items;
const hints = async (cluster: VirtualCluster) =>
  (await slices(cluster))
    .flatMap(({ endpoints }) => endpoints ?? [])
    .map(({ hints: given }) => given?.forZones?.map(({ name }) => name).join() ?? "")
    .toSorted();

test("endpoints are shared out by zones where a Service asks for it, and it is told when they are not", async () => {
  await using cluster = await VirtualCluster.start({ nodes: [{ zone: "a" }, { zone: "b" }] });
  const { client } = cluster;
  await client.create(Deployment, web({ replicas: 4 }));
  const annotations = { "service.kubernetes.io/topology-mode": "Auto" };
  await client.create(Service, { ...service, metadata: { ...service.metadata, annotations } });
  await cluster.rest();
  expect(await hints(cluster)).toEqual(["a", "a", "b", "b"]);

  await client.patch(Deployment, "web", { merge: { spec: { replicas: 1 } } }, { namespace });
  await cluster.clock.advance(60_000);
  expect(await hints(cluster)).toEqual([""]);

  await client.patch(Deployment, "web", { merge: { spec: { replicas: 4 } } }, { namespace });
  await cluster.clock.advance(60_000);
  await client.patch(
    Service,
    "web",
    { merge: { metadata: { annotations: { "service.kubernetes.io/topology-mode": null } } } },
    { namespace },
  );
  await cluster.rest();
  expect(await hints(cluster)).toEqual(["", "", "", ""]);
  const told = new Set(await cluster.events("Service"));
  expect(told).toContain(
    "TopologyAwareHintsEnabled: Topology Aware Hints has been enabled, addressType: IPv4",
  );
  expect(told).toContain(
    "TopologyAwareHintsDisabled: Insufficient number of endpoints (1 endpoints, 2 zones), addressType: IPv4",
  );
  expect(told).toContain(
    "TopologyAwareHintsDisabled: Topology Aware Hints has been disabled, addressType: IPv4",
  );
});

test("slices and Endpoints say when what changed them happened", async () => {
  await using cluster = await VirtualCluster.start();
  const { client } = cluster;
  const trigger = "endpoints.kubernetes.io/last-change-trigger-time";
  const told = async () => [
    (await slices(cluster))[0]?.metadata?.annotations?.[trigger],
    (await client.get(Endpoints, "web", { namespace })).metadata?.annotations?.[trigger],
  ];
  const { metadata } = await client.create(Service, service);
  await cluster.rest();
  expect(await told()).toEqual([metadata?.creationTimestamp, metadata?.creationTimestamp]);
  await cluster.clock.advance(60_000);
  await client.create(Deployment, web({ replicas: 1 }));
  await cluster.rest();
  const [pod] = await cluster.pods();
  const ready = pod?.status?.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime;
  expect(ready).not.toBe(metadata?.creationTimestamp);
  expect(await told()).toEqual([ready, ready]);
});
