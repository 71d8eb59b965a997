import { IPAddress, Service } from "@kubewright/api";
import { expect, test } from "vitest";
import { VirtualCluster } from "./virtual-cluster.js";

const inDefault = { namespace: "default" };
const service = (name: string): Service => ({
  metadata: { name, ...inDefault },
  spec: { ports: [{ port: 80 }] },
});

async function started() {
  const cluster = await VirtualCluster.start();
  const { spec } = await cluster.client.create(Service, service("web"));
  await cluster.rest();
  return { cluster, address: spec?.clusterIP ?? "" };
}

const addresses = async (cluster: VirtualCluster) =>
  (await cluster.client.list(IPAddress)).items.map(({ metadata }) => metadata?.name);

const complaints = async (cluster: VirtualCluster) =>
  [...(await cluster.events("Service")), ...(await cluster.events("IPAddress"))].filter((text) =>
    /ClusterIP|IPAddress/.test(text),
  );

test("nothing is said of Services that come, change and go", async () => {
  const { cluster, address } = await started();
  await using _ = cluster;
  await cluster.client.patch(
    Service,
    "web",
    {
      merge: { spec: { type: "ExternalName", externalName: "a.example", clusterIP: null, clusterIPs: null } },
    },
    inDefault,
  );
  await cluster.clock.advance(120_000);
  expect(await addresses(cluster)).not.toContain(address);
  await cluster.client.delete(Service, "web", inDefault);
  await cluster.clock.advance(120_000);
  expect(await complaints(cluster)).toEqual([]);
});

test("an address that somebody took away is taken again", async () => {
  const { cluster, address } = await started();
  await using _ = cluster;
  await cluster.client.delete(IPAddress, address);
  await cluster.clock.advance(2_000);
  expect((await cluster.client.get(IPAddress, address)).spec?.parentRef).toMatchObject({ name: "web" });
  expect(await complaints(cluster)).toEqual([
    `ClusterIPNotAllocated: Cluster IP [IPv4]: ${address} is not allocated; repairing`,
  ]);
});

test("an address without a Service goes after a minute", async () => {
  const { cluster } = await started();
  await using _ = cluster;
  const labels = {
    "ipaddress.kubernetes.io/ip-family": "IPv4",
    "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
  };
  const parentRef = { resource: "services", namespace: "default", name: "gone" };
  const name = "10.96.200.1";
  await cluster.client.create(IPAddress, { metadata: { name, labels }, spec: { parentRef } });
  await cluster.clock.advance(59_000);
  expect(await addresses(cluster)).toContain(name);
  await cluster.clock.advance(5_000);
  expect(await addresses(cluster)).not.toContain(name);
});
