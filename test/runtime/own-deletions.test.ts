// Deleting is not always the end: what the cache shows after a deletion of our own was answered, with no event come yet, is
// what the server has.
import {
  ConfigMap,
  isNotFound,
  type KubeObject,
  Namespace,
  Pod,
  type ResourceDescriptor,
  ServiceAccount,
} from "@kubewright/api";
import { Client, metadataOnly } from "@kubewright/client";
import { CachedClient, InformerPool } from "@kubewright/runtime";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Line, World } from "./unreliable-server.js";

const namespace = "default";
let world: World;
let line: Line;
let cached: CachedClient;
let pool: InformerPool;

beforeEach(() => {
  world = new World();
  line = world.line();
  const client = new Client({ transport: line.transport, clock: world.clock });
  pool = new InformerPool({ client, clock: world.clock, random: () => 0.5 });
  cached = new CachedClient(client, pool);
  world.informers.push(pool);
});

afterEach(() => world.end());

/** Watches the kinds, then hears nothing any more. */
async function watchThenMute(...resources: ResourceDescriptor<KubeObject, unknown>[]): Promise<void> {
  for (const resource of resources) pool.acquire(resource);
  await world.clock.settle();
  line.isMute = true;
}

/** What is cached of an object: its phase of life, as the server tells it too. */
async function shown<T extends KubeObject>(
  resource: ResourceDescriptor<T, unknown>,
  name: string,
  where = {},
) {
  const phase = async (read: Promise<T>) => {
    try {
      const { metadata } = await read;
      return metadata?.deletionTimestamp ? "going" : "there";
    } catch (error) {
      if (isNotFound(error)) return "gone";
      throw error;
    }
  };
  const [ours, theirs] = [
    await phase(cached.get(resource, name, where)),
    await phase(world.admin.get(resource, name, where)),
  ];
  expect(ours, "what is cached is what the server has").toBe(theirs);
  return ours;
}

test("a namespace goes when it was finalized, not before", async () => {
  await world.admin.create(Namespace, { metadata: { name: "shop" } });
  await watchThenMute(Namespace, metadataOnly(Namespace));
  await cached.delete(Namespace, "shop");
  expect(await shown(Namespace, "shop")).toBe("going");
  expect(await shown(metadataOnly(Namespace), "shop")).toBe("going");
  const finalized = { ...(await cached.get(Namespace, "shop")), spec: { finalizers: [] } };
  await cached.update(Namespace, finalized, { subresource: "finalize" });
  expect(await shown(Namespace, "shop")).toBe("gone");
  expect(await shown(metadataOnly(Namespace), "shop")).toBe("gone");
});

test("a pod that runs is given time, and goes when that is taken away", async () => {
  await world.admin.create(ServiceAccount, { metadata: { name: "default", namespace } });
  const spec = { nodeName: "node", containers: [{ name: "main", image: "x" }] };
  await world.admin.create(Pod, { metadata: { name: "a", namespace }, spec });
  await watchThenMute(Pod);
  await cached.delete(Pod, "a", { namespace });
  expect(await shown(Pod, "a", { namespace })).toBe("going");
  await cached.delete(Pod, "a", { namespace, gracePeriodSeconds: 0 });
  expect(await shown(Pod, "a", { namespace })).toBe("gone");
});

test("an object with finalizers goes with the last of them", async () => {
  const finalizers = ["example.com/one", "example.com/two"];
  await world.admin.create(ConfigMap, { metadata: { name: "a", namespace, finalizers } });
  await watchThenMute(ConfigMap, metadataOnly(ConfigMap));
  await cached.delete(ConfigMap, "a", { namespace });
  expect(await shown(ConfigMap, "a", { namespace })).toBe("going");
  for (const [left, phase] of [
    [["example.com/two"], "going"],
    [[], "gone"],
  ] as const) {
    await cached.patch(ConfigMap, "a", { merge: { metadata: { finalizers: left } } }, { namespace });
    expect(await shown(ConfigMap, "a", { namespace })).toBe(phase);
    expect(await shown(metadataOnly(ConfigMap), "a", { namespace })).toBe(phase);
  }
});

test("an object with nothing to wait for goes at once", async () => {
  await world.admin.create(ConfigMap, { metadata: { name: "a", namespace } });
  await watchThenMute(ConfigMap);
  await cached.delete(ConfigMap, "a", { namespace });
  expect(await shown(ConfigMap, "a", { namespace })).toBe("gone");
});
