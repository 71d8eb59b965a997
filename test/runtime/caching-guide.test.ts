// The examples of docs/guides/caching.md, compiled and run; test/docs/snippets.test.ts keeps the two the same.
import { ConfigMap, Namespace, Pod, Secret, ServiceAccount, systemClock } from "@kubewright/api";
import { createApiServer } from "@kubewright/apiserver";
import { Client, metadataOnly } from "@kubewright/client";
import { cacheKind, defineController, defineManager, Informer, watch } from "@kubewright/runtime";
import { defineResource, z } from "@kubewright/schema";
import { expect, test } from "vitest";

const Site = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Site",
  spec: z.object({ topic: z.string() }),
});
const siteController = defineController(Site, { owns: [ConfigMap, Secret, Pod], reconcile: () => undefined });

export const frugal = defineManager({
  name: "frugal",
  controllers: [siteController],
  caches: [
    cacheKind(Secret, { labelSelector: "app.kubernetes.io/managed-by=frugal" }),
    cacheKind(ConfigMap, { namespaces: ["shop", "shop-system"] }),
    cacheKind(Pod, {
      transform: ({ apiVersion, kind, metadata, status }) => ({ apiVersion, kind, metadata, status }),
    }),
  ],
});

export const byTopic = defineController(Site, {
  name: "by-topic",
  indexes: { topic: (site) => [site.spec.topic] },
  watches: [watch(ConfigMap, { targets: (map, own) => own.byIndex("topic", map.metadata?.name ?? "") })],
  reconcile: () => undefined,
});

test("an informer works by itself", async () => {
  const server = createApiServer();
  const client = new Client({ transport: server.transport() });
  await client.create(Namespace, { metadata: { name: "shop" } });
  await client.create(ServiceAccount, { metadata: { name: "default", namespace: "shop" } });
  await client.create(Pod, {
    metadata: { name: "web", namespace: "shop", labels: { app: "web" } },
    spec: { containers: [{ name: "main", image: "x" }] },
  });
  const changes: string[] = [];

  const pods = new Informer({
    client,
    resource: metadataOnly(Pod),
    clock: systemClock,
    namespaces: ["shop"],
  });
  pods.store.indexLabel("app");
  pods.onChange(({ key, previous, current }) =>
    changes.push(`${key} ${previous ? (current ? "changed" : "gone") : "new"}`),
  );
  pods.start();
  await pods.synced();
  const web = pods.store.list({ namespace: "shop", labelSelector: "app=web" });
  await expect.poll(() => changes).toEqual(["shop/web new"]);
  await pods.close();

  expect(web.map(({ metadata }) => metadata?.name)).toEqual(["web"]);
  server.close();
});
