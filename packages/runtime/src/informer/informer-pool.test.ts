import { ConfigMap, Secret, VirtualClock } from "@kubewright/api";
import { Client, metadataOnly } from "@kubewright/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { FakeServer } from "./fixtures/fake-server.js";
import { cacheKind, InformerPool, type InformerPoolOptions } from "./informer-pool.js";

function newPool(options: Partial<InformerPoolOptions> = {}) {
  const server = new FakeServer();
  server.put("a");
  const clock = new VirtualClock();
  const client = new Client({ transport: server.transport, clock });
  const pool = new InformerPool({ client, clock, random: () => 0.5, ...options });
  onTestFinished(async () => {
    await pool.close();
    expect(clock.pending).toBe(0);
    expect(server.watches.size).toBe(0);
  });
  return { server, clock, pool };
}

describe("an informer of a pool", () => {
  test("is shared by all requests for the same selection, however it is written", async () => {
    const { server, clock, pool } = newPool();
    const one = pool.acquire(ConfigMap, { labelSelector: "a=1,b=2" });
    const other = pool.acquire({ ...ConfigMap }, { labelSelector: { matchLabels: { b: "2", a: "1" } } });
    await clock.settle();
    expect(other.informer).toBe(one.informer);
    expect(server.requests).toHaveLength(1);
  });

  test("is not shared between different selections", () => {
    const { pool } = newPool();
    const informers = [
      pool.acquire(ConfigMap),
      pool.acquire(ConfigMap, { namespaces: ["shop"] }),
      pool.acquire(metadataOnly(ConfigMap)),
      pool.acquire(Secret),
    ].map(({ informer }) => informer);
    expect(new Set(informers).size).toBe(4);
  });

  test("leaves nothing behind, at whichever moment it is closed", async () => {
    for (let moment = 0; moment < 40; moment++) {
      const { clock, server, pool } = newPool();
      pool.acquire(ConfigMap);
      pool.acquire(Secret, { namespaces: ["shop"] });
      for (let step = 0; step < moment; step++) await Promise.resolve();
      await pool.close();
      expect(clock.pending, `timers after ${moment} steps`).toBe(0);
      await clock.settle();
      expect(server.watches.size, `watches after ${moment} steps`).toBe(0);
    }
  });

  test("ends with its last lease, and not before", async () => {
    const { server, clock, pool } = newPool();
    const one = pool.acquire(ConfigMap);
    const other = pool.acquire(ConfigMap);
    await clock.settle();
    await one.release();
    await one.release();
    expect(server.watches.size).toBe(1);
    await other.release();
    expect(server.watches.size).toBe(0);
    expect(pool.informers).toEqual([]);
  });

  test("requested again after its end is a new one", async () => {
    const { clock, pool } = newPool();
    const first = pool.acquire(ConfigMap);
    await first.release();
    const second = pool.acquire(ConfigMap);
    await clock.settle();
    expect(second.informer).not.toBe(first.informer);
    expect(second.informer.store.size).toBe(1);
  });

  test("is cached with the pool's settings for the kind", async () => {
    const kinds = [
      cacheKind(ConfigMap, { namespaces: ["default"], transform: ({ data: _data, ...rest }) => rest }),
    ];
    const { server, clock, pool } = newPool({ kinds });
    server.put("b", { data: { x: "1" } });
    server.put("c", {}, "elsewhere");
    const { informer } = pool.acquire(ConfigMap);
    await clock.settle();
    expect([...informer.store.keys()]).toEqual(["default/a", "default/b"]);
    expect(informer.store.get("default/b")).not.toHaveProperty("data");
  });
});

test("a failure of an informer pool names the kind", async () => {
  const reported: string[] = [];
  const { server, clock, pool } = newPool({
    onError: ({ kind }, error) => reported.push(`${kind}: ${error}`),
  });
  server.fault = () => Promise.reject(new Error("no route"));
  pool.acquire(ConfigMap);
  await clock.settle();
  expect(reported[0]).toMatch(/^ConfigMap: .*no route/);
});

test("closing an informer pool ends every watch, even while leases are held", async () => {
  const { server, clock, pool } = newPool();
  const lease = pool.acquire(ConfigMap);
  pool.acquire(Secret);
  await clock.settle();
  await pool.close();
  expect(server.watches.size).toBe(0);
  await lease.release();
});
