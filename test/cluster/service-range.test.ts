import { findCondition, Service, ServiceCIDR } from "@kubewright/api";
import { expect, test } from "vitest";
import { VirtualCluster } from "./virtual-cluster.js";

const namespace = "default";
const extra: ServiceCIDR = { metadata: { name: "extra" }, spec: { cidrs: ["10.200.0.0/24"] } };

test("a range becomes ready, and stays until no Service has an address of it", async () => {
  await using cluster = await VirtualCluster.start();
  const { client } = cluster;
  const range = async () => client.get(ServiceCIDR, "extra");
  await client.create(ServiceCIDR, extra);
  await cluster.rest();
  expect((await range()).metadata?.finalizers).toEqual(["networking.k8s.io/service-cidr-finalizer"]);
  expect(findCondition((await range()).status?.conditions, "Ready")).toMatchObject({
    status: "True",
    message: "Kubernetes Service CIDR is ready",
  });

  const spec = { clusterIP: "10.200.0.9", ports: [{ port: 80 }] };
  await client.create(Service, { metadata: { name: "web", namespace }, spec });
  await client.delete(ServiceCIDR, "extra");
  await cluster.clock.advance(60_000);
  expect(findCondition((await range()).status?.conditions, "Ready")).toMatchObject({
    status: "False",
    reason: "Terminating",
    message:
      "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR",
  });

  await client.delete(Service, "web", { namespace });
  await cluster.rest();
  await expect(range()).rejects.toMatchObject({ code: 404 });
});

test("one that nobody uses goes after ten seconds; the usual one is kept like any other", async () => {
  await using cluster = await VirtualCluster.start();
  const { client } = cluster;
  await client.create(ServiceCIDR, extra);
  await cluster.rest();
  await client.delete(ServiceCIDR, "extra");
  await cluster.clock.advance(9_000);
  expect((await client.get(ServiceCIDR, "extra")).metadata?.deletionTimestamp).toBeDefined();
  await cluster.clock.advance(2_000);
  await expect(client.get(ServiceCIDR, "extra")).rejects.toMatchObject({ code: 404 });
  await client.delete(ServiceCIDR, "kubernetes");
  await cluster.clock.advance(60_000);
  expect((await client.get(ServiceCIDR, "kubernetes")).metadata?.deletionTimestamp).toBeDefined();
});
