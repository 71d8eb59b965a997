import {
  ConfigMap,
  CustomResourceDefinition,
  Deployment,
  findCondition,
  isNotFound,
  Namespace,
  Pod,
  ServiceAccount,
} from "@kubewright/api";
import { expect, test } from "vitest";
import { VirtualCluster, web } from "./virtual-cluster.js";

const shop = { namespace: "shop" };

async function startWithShop(): Promise<VirtualCluster> {
  const cluster = await VirtualCluster.start();
  await cluster.client.create(Namespace, { metadata: { name: "shop" } });
  await cluster.rest();
  return cluster;
}

async function deleteShop(cluster: VirtualCluster): Promise<void> {
  await cluster.client.delete(Namespace, "shop");
  await cluster.rest();
}

async function findShop(cluster: VirtualCluster): Promise<Namespace | undefined> {
  try {
    return await cluster.client.get(Namespace, "shop");
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

test("a new namespace has a service account and the certificate of the API server", async () => {
  await using cluster = await startWithShop();
  await cluster.client.get(ServiceAccount, "default", shop);
  const bundle = await cluster.client.get(ConfigMap, "kube-root-ca.crt", shop);
  expect(bundle.data?.["ca.crt"]).toContain("BEGIN CERTIFICATE");
});

test("both come back when they are deleted", async () => {
  await using cluster = await startWithShop();
  await cluster.client.delete(ServiceAccount, "default", shop);
  await cluster.client.delete(ConfigMap, "kube-root-ca.crt", shop);
  await cluster.rest();
  await cluster.client.get(ServiceAccount, "default", shop);
  await cluster.client.get(ConfigMap, "kube-root-ca.crt", shop);
});

test("a deleted namespace takes everything along: workloads and custom resources", async () => {
  await using cluster = await startWithShop();
  await cluster.client.create(CustomResourceDefinition, {
    metadata: { name: "gadgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "gadgets", kind: "Gadget" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        },
      ],
    },
  });
  await cluster.rest();
  const Gadget = await cluster.client.resource({ apiVersion: "example.com/v1", kind: "Gadget" });
  await cluster.client.create(Gadget, { metadata: { name: "g", ...shop } });
  await cluster.client.create(Deployment, { ...web(), metadata: { name: "web", ...shop } });
  await cluster.rest();
  expect((await cluster.client.list(Pod, shop)).items).toHaveLength(3);
  await deleteShop(cluster);
  expect(await findShop(cluster)).toBeUndefined();
  expect((await cluster.client.list(Pod)).items).toEqual([]);
  expect((await cluster.client.list(Gadget)).items).toEqual([]);
});

test("what holds a namespace up is named in its conditions, and lets it go when it goes", async () => {
  await using cluster = await startWithShop();
  const finalizers = ["example.com/hold"];
  await cluster.client.create(ConfigMap, { metadata: { name: "held", ...shop, finalizers } });
  await deleteShop(cluster);
  const { status } = (await findShop(cluster)) ?? {};
  expect(status?.phase).toBe("Terminating");
  expect(findCondition(status?.conditions, "NamespaceContentRemaining")).toMatchObject({
    status: "True",
    reason: "SomeResourcesRemain",
    message: "Some resources are remaining: configmaps. has 1 resource instances",
  });
  expect(findCondition(status?.conditions, "NamespaceFinalizersRemaining")).toMatchObject({
    status: "True",
    message:
      "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
  });
  await cluster.client.patch(ConfigMap, "held", { merge: { metadata: { finalizers: null } } }, shop);
  await cluster.rest();
  expect(await findShop(cluster)).toBeUndefined();
});

test("pods go before everything else in a deleted namespace", async () => {
  await using cluster = await startWithShop();
  const finalizers = ["example.com/hold"];
  const spec = { containers: [{ name: "web", image: "web:1" }] };
  await cluster.client.create(Pod, { metadata: { name: "held", ...shop, finalizers }, spec });
  await cluster.client.create(ConfigMap, { metadata: { name: "settings", ...shop } });
  await cluster.rest();
  await deleteShop(cluster);
  expect((await cluster.client.get(ConfigMap, "settings", shop)).metadata?.deletionTimestamp).toBeUndefined();
  const { status } = (await findShop(cluster)) ?? {};
  expect(findCondition(status?.conditions, "NamespaceContentRemaining")).toMatchObject({
    message: "Some resources are remaining: pods. has 1 resource instances",
  });
  await cluster.client.patch(Pod, "held", { merge: { metadata: { finalizers: null } } }, shop);
  await cluster.rest();
  expect(await findShop(cluster)).toBeUndefined();
});
