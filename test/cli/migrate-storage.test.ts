// After the storage version of a kind has changed, its objects are written anew, and the version before can be dropped.
import { CustomResourceDefinition } from "@kubewright/api";
import { hasCondition, waitFor } from "@kubewright/client";
import { type Cluster, startCluster } from "@kubewright/cluster";
import { afterEach, beforeEach, expect, test } from "vitest";
import { migrateStorage } from "../../packages/cli/src/cluster-commands/migrate-storage.js";

const name = "orders.shop.example.com";
const schema = {
  openAPIV3Schema: {
    type: "object",
    properties: { spec: { type: "object", properties: { size: { type: "integer" } } } },
  },
} as const;
const crd = (storage: string, versions: readonly string[] = ["v1", "v2"]) => ({
  metadata: { name },
  spec: {
    group: "shop.example.com",
    scope: "Namespaced" as const,
    names: { plural: "orders", kind: "Order" },
    versions: versions.map((version) => ({
      name: version,
      served: true,
      storage: version === storage,
      schema,
    })),
  },
});

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster({ nodes: 0, controllers: "none" });
});
afterEach(() => cluster.close());

async function applied(storage: string, versions?: readonly string[]): Promise<void> {
  const { client } = cluster;
  await client.apply(CustomResourceDefinition, crd(storage, versions) as never, {
    fieldManager: "test",
    force: true,
  });
  await waitFor(client, CustomResourceDefinition, name, hasCondition("Established"));
}
const stored = async () => (await cluster.client.get(CustomResourceDefinition, name)).status?.storedVersions;
const orders = (version = "v1") =>
  cluster.client.resource({ apiVersion: `shop.example.com/${version}`, kind: "Order" });

async function threeOrders(): Promise<void> {
  const resource = await orders();
  for (const [at, namespace] of ["default", "kube-public", "default"].entries())
    await cluster.client.create(resource, {
      metadata: { name: `order-${at}`, namespace },
      spec: { size: at },
    } as never);
}

test("writes every object once and lets the version before go", async () => {
  const { client } = cluster;
  await applied("v1");
  await threeOrders();
  await applied("v2");
  expect(await stored()).toEqual(["v1", "v2"]);
  await expect(applied("v2", ["v2"])).rejects.toThrow(/v1 was previously a storage version/);
  expect(await migrateStorage(client, name)).toEqual({
    name,
    storageVersion: "v2",
    before: ["v1", "v2"],
    rewritten: 3,
  });
  expect(await stored()).toEqual(["v2"]);
  await applied("v2", ["v2"]);
  const { items } = await client.list(await orders("v2"));
  expect(items.map((item) => (item as unknown as { spec: unknown }).spec)).toEqual([
    { size: 0 },
    { size: 2 },
    { size: 1 },
  ]);
});

test("does nothing where everything is stored in the storage version, or the kind is not there", async () => {
  const { client } = cluster;
  expect(await migrateStorage(client, name)).toBeUndefined();
  await applied("v1");
  await threeOrders();
  const before = await client.list(await orders());
  expect(await migrateStorage(client, name)).toMatchObject({ rewritten: 0, before: ["v1"] });
  expect(await client.list(await orders())).toEqual(before);
});

test("an object that is deleted or changed meanwhile stops nothing", async () => {
  const { client } = cluster;
  await applied("v1");
  await threeOrders();
  await applied("v2");
  const resource = await orders("v2");
  let calls = 0;
  const disturbed = new Proxy(client, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (key === "update")
        return async (...args: Parameters<typeof client.update>) => {
          calls++;
          if (calls === 1) await client.delete(resource, "order-0", { namespace: "default" });
          if (calls === 2)
            await client.patch(
              resource,
              "order-2",
              { merge: { spec: { size: 9 } } },
              { namespace: "default" },
            );
          return target.update(...args);
        };
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  expect(await migrateStorage(disturbed, name)).toMatchObject({ rewritten: 2 });
  expect(await stored()).toEqual(["v2"]);
  expect(await client.get(resource, "order-2", { namespace: "default" })).toMatchObject({
    spec: { size: 9 },
  });
});
