import { ConfigMap, Deployment, isNotFound, type OwnerReference } from "@kubewright/api";
import type { PropagationPolicy } from "@kubewright/client";
import { expect, test } from "vitest";
import { VirtualCluster, web } from "./virtual-cluster.js";

const namespace = "default";

async function make(
  cluster: VirtualCluster,
  name: string,
  owners: readonly ConfigMap[] = [],
  options: { readonly block?: boolean; readonly finalizers?: readonly string[] } = {},
): Promise<ConfigMap> {
  const ownerReferences = owners.map(
    ({ metadata }): OwnerReference => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      name: metadata?.name ?? "",
      uid: metadata?.uid ?? "",
      ...(options.block ? { blockOwnerDeletion: true } : {}),
    }),
  );
  const { finalizers = [] } = options;
  return cluster.client.create(ConfigMap, { metadata: { name, namespace, ownerReferences, finalizers } });
}

async function find(cluster: VirtualCluster, name: string): Promise<ConfigMap | undefined> {
  try {
    return await cluster.client.get(ConfigMap, name, { namespace });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function remove(
  cluster: VirtualCluster,
  name: string,
  propagationPolicy?: PropagationPolicy,
): Promise<void> {
  await cluster.client.delete(ConfigMap, name, { namespace, propagationPolicy });
  await cluster.rest();
}

test("a deleted Deployment takes its ReplicaSet and pods along", async () => {
  await using cluster = await VirtualCluster.start();
  await cluster.client.create(Deployment, web());
  await cluster.rest();
  await cluster.client.delete(Deployment, "web", { namespace });
  await cluster.rest();
  expect(await cluster.sets()).toEqual([]);
  expect(await cluster.pods()).toEqual([]);
});

test("orphaned children stay, without their owner", async () => {
  await using cluster = await VirtualCluster.start();
  const owner = await make(cluster, "owner");
  await make(cluster, "child", [owner]);
  await cluster.rest();
  await remove(cluster, "owner", "Orphan");
  expect(await find(cluster, "owner")).toBeUndefined();
  expect((await find(cluster, "child"))?.metadata?.ownerReferences).toBeUndefined();
});

test("grandchildren go too", async () => {
  await using cluster = await VirtualCluster.start();
  const owner = await make(cluster, "owner");
  const child = await make(cluster, "child", [owner]);
  await make(cluster, "grandchild", [child]);
  await cluster.rest();
  await remove(cluster, "owner");
  expect(await find(cluster, "grandchild")).toBeUndefined();
});

test("a child goes with the last of its owners", async () => {
  await using cluster = await VirtualCluster.start();
  const owners = [await make(cluster, "one"), await make(cluster, "two")];
  await make(cluster, "child", owners);
  await cluster.rest();
  await remove(cluster, "one");
  expect((await find(cluster, "child"))?.metadata?.ownerReferences?.map(({ name }) => name)).toEqual(["two"]);
  await remove(cluster, "two");
  expect(await find(cluster, "child")).toBeUndefined();
});

test("an owner deleted in the foreground waits for the children that block it", async () => {
  await using cluster = await VirtualCluster.start();
  const owner = await make(cluster, "owner");
  await make(cluster, "held", [owner], { block: true, finalizers: ["example.com/hold"] });
  await make(cluster, "free", [owner], { finalizers: ["example.com/hold"] });
  await cluster.rest();
  await remove(cluster, "owner", "Foreground");
  expect((await find(cluster, "owner"))?.metadata?.finalizers).toEqual(["foregroundDeletion"]);
  expect((await find(cluster, "held"))?.metadata?.deletionTimestamp).toBeDefined();
  await cluster.client.patch(ConfigMap, "held", { merge: { metadata: { finalizers: null } } }, { namespace });
  await cluster.rest();
  expect(await find(cluster, "held")).toBeUndefined();
  expect(await find(cluster, "owner")).toBeUndefined();
  expect((await find(cluster, "free"))?.metadata?.deletionTimestamp).toBeDefined();
});

test("objects that own each other do not block each other for ever", async () => {
  await using cluster = await VirtualCluster.start();
  const a = await make(cluster, "a");
  const b = await make(cluster, "b", [a], { block: true });
  const merge = {
    metadata: {
      ownerReferences: [
        { apiVersion: "v1", kind: "ConfigMap", name: "b", uid: b.metadata?.uid, blockOwnerDeletion: true },
      ],
    },
  };
  await cluster.client.patch(ConfigMap, "a", { merge }, { namespace });
  await cluster.rest();
  await remove(cluster, "a", "Foreground");
  expect(await find(cluster, "a")).toBeUndefined();
  expect(await find(cluster, "b")).toBeUndefined();
});

test.each([
  { what: "never was", owner: { name: "nobody", uid: "00000000-0000-4000-8000-000000000000" } },
  { what: "has another uid", owner: { name: "real", uid: "00000000-0000-4000-8000-000000000001" } },
])("a child whose owner $what is collected", async ({ owner }) => {
  await using cluster = await VirtualCluster.start();
  await make(cluster, "real");
  await make(cluster, "child", [{ metadata: owner }]);
  await cluster.rest();
  expect(await find(cluster, "child")).toBeUndefined();
  expect(await find(cluster, "real")).toBeDefined();
});

test("an owner in another namespace does not count", async () => {
  await using cluster = await VirtualCluster.start();
  const { metadata } = await cluster.client.create(ConfigMap, {
    metadata: { name: "owner", namespace: "kube-public" },
  });
  await make(cluster, "child", [{ metadata }]);
  await cluster.rest();
  expect(await find(cluster, "child")).toBeUndefined();
  expect(await cluster.events("ConfigMap")).toEqual([
    `OwnerRefInvalidNamespace: ownerRef [v1/ConfigMap, namespace: default, name: owner, uid: ${metadata?.uid}] does not exist in namespace "default"`,
  ]);
});

test("with the collector left out, children stay", async () => {
  await using cluster = await VirtualCluster.start({ controllers: ["-garbage-collector"] });
  await make(cluster, "child", [await make(cluster, "owner")]);
  await remove(cluster, "owner");
  expect(await find(cluster, "child")).toBeDefined();
});
