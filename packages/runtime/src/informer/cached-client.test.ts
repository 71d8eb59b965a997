import {
  ConfigMap,
  type KubeObject,
  type TransportRequest,
  type TransportResponse,
  VirtualClock,
} from "@kubewright/api";
import { Client, metadataOnly } from "@kubewright/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { CachedClient } from "./cached-client.js";
import { FakeServer } from "./fixtures/fake-server.js";
import { InformerPool } from "./informer-pool.js";
import type { Selection } from "./selection.js";

const namespace = "default";

/** A cached client of a fake server that also takes writes; events arrive only when delivered. */
async function newClient(...selections: (Selection | "metadata")[]) {
  const server = new FakeServer();
  server.put("a", { data: { x: "0" }, metadata: { labels: { app: "web" } } });
  const clock = new VirtualClock();
  const answer = (value: unknown): TransportResponse => ({
    status: 200,
    headers: {},
    body: { kind: "object", value },
  });
  server.fault = (request) => {
    const name = request.path.split("/").at(-1) ?? "";
    if (request.method === "DELETE") {
      server.remove(name);
      return answer({ kind: "Status", apiVersion: "v1", status: "Success" });
    }
    if (request.method !== "GET")
      return answer(request.query?.get("dryRun") ? dryRun(request) : write(server, request));
    if (request.query?.get("watch") || !request.path.includes("configmaps/")) return undefined;
    live.push(name);
    return answer({ kind: "ConfigMap", metadata: { name, namespace } });
  };
  const live: string[] = [];
  const client = new Client({ transport: server.transport, clock });
  const pool = new InformerPool({ client, clock, random: () => 0.5 });
  onTestFinished(() => pool.close());
  const informers = selections.map((selection) =>
    selection === "metadata"
      ? pool.acquire(metadataOnly(ConfigMap)).informer
      : pool.acquire(ConfigMap, selection).informer,
  );
  await clock.settle();
  server.hold();
  const cached = new CachedClient(client, pool);
  const names = async (options: object = {}) =>
    (await cached.list(ConfigMap, { namespace, ...options })).items.map(({ metadata }) => metadata?.name);
  return { server, clock, cached, pool, informers, live, names };
}

function write(server: FakeServer, { body, path }: TransportRequest): KubeObject {
  const { metadata, ...fields } = (body?.kind === "object" ? body.value : {}) as KubeObject &
    Record<string, unknown>;
  const name = metadata?.name ?? path.split("/").at(-1) ?? "";
  return server.put(name, {
    ...fields,
    metadata: { labels: metadata?.labels, finalizers: metadata?.finalizers },
  });
}

function dryRun({ body }: TransportRequest): unknown {
  const object = (body?.kind === "object" ? body.value : {}) as KubeObject;
  return { ...object, metadata: { ...object.metadata, uid: "none", resourceVersion: "9999" } };
}

const configMap = (name: string, x: string, labels?: Record<string, string>) => ({
  metadata: { name, namespace, labels },
  data: { x },
});

describe("reading with the cached client", () => {
  test("a kind that is watched is read without a request", async () => {
    const { cached, server, names } = await newClient({});
    const before = server.requests.length;
    expect((await cached.get(ConfigMap, "a", { namespace })).data).toEqual({ x: "0" });
    await expect(cached.get(ConfigMap, "none", { namespace })).rejects.toMatchObject({
      code: 404,
      reason: "NotFound",
    });
    expect(await names()).toEqual(["a"]);
    expect(server.requests.length).toBe(before);
  });

  test("a kind that is not watched asks the server, and starts no watch", async () => {
    const { cached, server, live } = await newClient();
    await cached.get(ConfigMap, "a", { namespace });
    server.deliver();
    await cached.list(ConfigMap, { namespace });
    expect(live).toEqual(["a"]);
    expect(server.requests).toEqual(["list", "list"]);
    expect(server.watches.size).toBe(0);
  });

  test("what a narrowed cache lacks asks the server, for it may exist", async () => {
    const { cached, live } = await newClient({ labelSelector: "app=web" });
    await cached.get(ConfigMap, "a", { namespace });
    await cached.get(ConfigMap, "b", { namespace });
    await cached.get(ConfigMap, "c", { namespace: "elsewhere" });
    expect(live).toEqual(["b", "c"]);
  });

  test("a certain version, or pages, asks the server", async () => {
    const { cached, server, live } = await newClient({});
    await cached.get(ConfigMap, "a", { namespace, resourceVersion: "0" });
    server.deliver();
    await cached.list(ConfigMap, { limit: 1 });
    expect(live).toEqual(["a"]);
    expect(server.requests.at(-1)).toBe("list");
  });

  test("an object whose namespace is left to the client asks the server", async () => {
    const { pool, live } = await newClient({});
    const server = new Client({
      transport: async () => ({
        status: 200,
        headers: {},
        body: { kind: "object", value: { kind: "ConfigMap" } },
      }),
      defaultNamespace: namespace,
    });
    expect(await new CachedClient(server, pool).get(ConfigMap, "a")).toEqual({ kind: "ConfigMap" });
    expect(live).toEqual([]);
  });

  test("a cache that is not filled yet asks the server", async () => {
    const { cached, pool, live } = await newClient();
    pool.acquire(ConfigMap);
    await cached.get(ConfigMap, "a", { namespace });
    expect(live).toEqual(["a"]);
  });
});

describe("cached client: a write that succeeded", () => {
  const writes: [string, (cached: CachedClient) => Promise<unknown>][] = [
    ["update", (cached) => cached.update(ConfigMap, configMap("a", "1", { app: "web" }))],
    ["patch", (cached) => cached.patch(ConfigMap, "a", { merge: { data: { x: "1" } } }, { namespace })],
    ["apply", (cached) => cached.apply(ConfigMap, configMap("a", "1", { app: "web" }))],
  ];
  test.each(writes)("%s is read at once, before and after its event", async (_verb, write) => {
    const { cached, server, clock, informers } = await newClient({});
    const received: (string | undefined)[] = [];
    informers[0]?.onChange(({ current, origin }) =>
      received.push(`${(current as ConfigMap).data?.["x"]} ${origin}`),
    );
    await write(cached);
    expect((await cached.get(ConfigMap, "a", { namespace })).data).toEqual({ x: "1" });
    server.deliver();
    await clock.settle();
    expect((await cached.get(ConfigMap, "a", { namespace })).data).toEqual({ x: "1" });
    expect(received).toEqual(["0 list", "1 write"]);
  });

  test("is not hidden by events that are older", async () => {
    const { cached, server, clock } = await newClient({});
    server.put("a", { data: { x: "theirs" } });
    await cached.update(ConfigMap, configMap("a", "ours"));
    server.put("a", { data: { x: "theirs again" } });
    const reads: unknown[] = [];
    for (let event = 0; event < 4; event++) {
      reads.push((await cached.get(ConfigMap, "a", { namespace })).data?.["x"]);
      server.deliver(1);
      await clock.settle();
    }
    expect(reads).toEqual(["ours", "ours", "ours", "theirs again"]);
  });

  test("is in lists and indexes", async () => {
    const { cached, names, informers } = await newClient({});
    informers[0]?.store.addIndex("x", (object) => [String((object as ConfigMap).data?.["x"])]);
    await cached.create(ConfigMap, configMap("b", "1", { app: "web" }));
    await cached.update(ConfigMap, configMap("a", "2", { app: "db" }));
    expect(await names({ labelSelector: "app=web" })).toEqual(["b"]);
    expect(informers[0]?.store.byIndex("x", "2")).toHaveLength(1);
    expect(informers[0]?.store.byIndex("x", "0")).toHaveLength(0);
  });

  test("leaves a cache it no longer belongs to, and enters the one it does", async () => {
    const { cached, server, clock, informers } = await newClient(
      { labelSelector: "app=web" },
      { labelSelector: "app=db" },
      "metadata",
    );
    await cached.update(ConfigMap, configMap("a", "1", { app: "db" }));
    const sizes = () => informers.map(({ store }) => store.size);
    expect(sizes()).toEqual([0, 1, 1]);
    expect(Object.keys(informers[2]?.store.get("default/a") ?? {})).toEqual([
      "apiVersion",
      "kind",
      "metadata",
    ]);
    // The fake server does not select, so a bookmark stands for an event that never comes.
    server.disconnect();
    await clock.settle();
    expect(sizes()).toEqual([0, 1, 1]);
  });

  test("that the watch does not select leaves the cache at the next bookmark", async () => {
    const { cached, server, clock, informers } = await newClient({ fieldSelector: "data.x=1" });
    server.isMute = true;
    await cached.create(ConfigMap, configMap("b", "1"));
    expect(informers[0]?.store.get("default/b")).toBeDefined();
    server.deliver();
    server.bookmark();
    await clock.settle();
    expect(informers[0]?.store.get("default/b")).toBeUndefined();
  });

  test("as a dry run is not read, for it was not stored", async () => {
    const { cached } = await newClient({});
    await cached.update(ConfigMap, configMap("a", "dry"), { dryRun: true });
    await cached.delete(ConfigMap, "a", { namespace, dryRun: true });
    expect((await cached.get(ConfigMap, "a", { namespace })).data).toEqual({ x: "0" });
  });

  test("is returned to the caller as the server answered it", async () => {
    const { cached } = await newClient({});
    const written = await cached.update(ConfigMap, configMap("a", "1"));
    expect(written).not.toBe(
      await cached.get(ConfigMap, "a", { namespace }).then(({ metadata }) => metadata),
    );
    expect(written.metadata?.uid).toBe("uid-1");
  });
});

describe("cached client: a deletion that succeeded", () => {
  test("is seen at once, and its older events are not", async () => {
    const { cached, server, clock, names } = await newClient({});
    server.put("a", { data: { x: "theirs" } });
    await cached.delete(ConfigMap, "a", { namespace });
    expect(await names()).toEqual([]);
    server.deliver(1);
    await clock.settle();
    expect(await names()).toEqual([]);
    server.put("a");
    server.deliver();
    await clock.settle();
    expect(await names()).toEqual(["a"]);
  });

  test("before, by somebody else, is seen as soon as the server says so", async () => {
    const { cached, server, clock, names } = await newClient({});
    const { uid } = (await cached.get(ConfigMap, "a", { namespace })).metadata ?? {};
    server.remove("a");
    server.fault = () => ({
      status: 404,
      headers: {},
      body: { kind: "object", value: { kind: "Status", code: 404, reason: "NotFound", message: "no a" } },
    });
    const preconditions = { uid };
    await expect(cached.delete(ConfigMap, "a", { namespace, preconditions })).rejects.toThrow("no a");
    expect(await names()).toEqual([]);
    server.put("a");
    server.deliver();
    await clock.settle();
    expect(await names()).toEqual(["a"]);
  });

  test("does not hide the next object of that name", async () => {
    const { cached, server, clock } = await newClient({});
    await cached.delete(ConfigMap, "a", { namespace });
    await cached.create(ConfigMap, configMap("a", "new"));
    expect((await cached.get(ConfigMap, "a", { namespace })).data).toEqual({ x: "new" });
    server.deliver(1);
    await clock.settle();
    expect((await cached.get(ConfigMap, "a", { namespace })).data).toEqual({ x: "new" });
    server.deliver();
    await clock.settle();
    expect((await cached.get(ConfigMap, "a", { namespace })).data).toEqual({ x: "new" });
  });

  test("of an object with finalizers shows it terminating, until its last finalizer is removed", async () => {
    const { pool, informers, names } = await newClient({});
    const going = {
      metadata: { name: "a", namespace, uid: "uid-1", deletionTimestamp: "2026-01-01T00:00:00Z" },
    };
    const at = (resourceVersion: string, finalizers: string[]) =>
      pool.recordWrite(ConfigMap, { ...going, metadata: { ...going.metadata, resourceVersion, finalizers } });
    at("200", ["ours"]);
    expect(informers[0]?.store.get("default/a")?.metadata?.deletionTimestamp).toBeDefined();
    at("201", []);
    expect(await names()).toEqual([]);
  });
});
