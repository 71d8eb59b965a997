import { ConfigMap, Deployment, isConflict, VirtualClock } from "@kubewright/api";
import { ConnectionError, clientFromKubeConfig, parseKubeConfig } from "@kubewright/client";
import { startCluster } from "@kubewright/cluster";
import { Informer } from "@kubewright/runtime";
import { describe, expect, test } from "vitest";
import { VirtualCluster, web } from "./virtual-cluster.js";

const namespace = "default";
const map = (name: string): ConfigMap => ({ metadata: { name, namespace }, data: {} });
const names = async ({ client }: VirtualCluster) =>
  (await client.list(ConfigMap, { namespace })).items
    .map(({ metadata }) => metadata?.name ?? "")
    .filter((name) => name !== "kube-root-ca.crt");
const bare = { controllers: "none", nodes: 0 } as const;

describe("requests", () => {
  test("the nth that matches fails, and only that", async () => {
    await using cluster = await VirtualCluster.start(bare);
    const fault = cluster.cluster.faults.fail({ verb: "create", resource: "configmaps" }, "conflict", {
      nth: 2,
    });
    const outcomes: string[] = [];
    for (const name of ["a", "b", "c"])
      await cluster.client.create(ConfigMap, map(name)).then(
        () => outcomes.push("created"),
        (error: unknown) => outcomes.push(isConflict(error) ? "conflict" : String(error)),
      );
    expect(outcomes).toEqual(["created", "conflict", "created"]);
    expect(await names(cluster)).toEqual(["a", "c"]);
    expect(fault).toMatchObject({ matched: 3, failed: 1 });
  });

  test.each([
    { failure: "timeout", error: { code: 504, reason: "Timeout" }, isDone: false },
    { failure: "conflict", error: { code: 409, reason: "Conflict" }, isDone: false },
    { failure: "unreachable", error: { problem: "refused" }, isDone: false },
    { failure: "lost", error: { problem: "closed" }, isDone: true },
    { failure: { code: 500 }, error: { code: 500, reason: "InternalError" }, isDone: false },
    { failure: { code: 500, afterwards: true }, error: { code: 500 }, isDone: true },
    {
      failure: { code: 429, retryAfterSeconds: 7 },
      error: { code: 429, details: { retryAfterSeconds: 7 } },
      isDone: false,
    },
  ] as const)("$failure: done $isDone", async ({ failure, error, isDone }) => {
    await using cluster = await VirtualCluster.start(bare);
    cluster.cluster.faults.fail({ verb: "write" }, failure);
    await expect(cluster.client.create(ConfigMap, map("a"))).rejects.toMatchObject(error);
    expect(await names(cluster)).toEqual(isDone ? ["a"] : []);
  });

  test("a component of the cluster is meant only by its name", async () => {
    await using cluster = await VirtualCluster.start();
    const { faults } = cluster.cluster;
    const all = faults.fail({ resource: "replicasets" }, "timeout", { times: 100 });
    const own = faults.fail(
      { client: "kube-controller-manager", verb: "create", resource: "replicasets" },
      "timeout",
      { times: 2 },
    );
    await cluster.client.create(Deployment, web());
    await cluster.clock.advance(10_000);
    expect(all.matched).toBe(0);
    expect(own).toMatchObject({ failed: 2, matched: 3 });
    all.remove();
    expect((await cluster.deployment("web")).status?.availableReplicas).toBe(3);
    cluster.problems.length = 0;
  });

  test("clients with a socket feel them too: the connection breaks", async () => {
    await using cluster = await startCluster({ controllers: "none", nodes: 0 });
    const { kubeconfig } = await cluster.listen();
    await using client = clientFromKubeConfig(await parseKubeConfig(kubeconfig, "kubeconfig"), {
      retry: false,
    });
    cluster.faults.fail({ verb: "create", resource: "configmaps" }, "lost");
    await expect(client.create(ConfigMap, map("a"))).rejects.toThrow(ConnectionError);
    expect((await client.get(ConfigMap, "a", { namespace })).metadata?.name).toBe("a");
  });

  describe("that hang", () => {
    async function hanging() {
      const cluster = await VirtualCluster.start(bare);
      const fault = cluster.cluster.faults.fail({ verb: "create" }, "hang");
      return { cluster, fault, client: cluster.client };
    }

    test("are given up by their client when its time is up, and were never carried out", async () => {
      const { cluster: world, client } = await hanging();
      await using cluster = world;
      const create = client.create(ConfigMap, map("a"), { timeout: 5_000 });
      const outcome = create.then(
        () => "created",
        (error: unknown) => String(error),
      );
      await cluster.clock.advance(4_000);
      expect(cluster.cluster.faults.open.requests).toMatchObject([
        { verb: "create", resource: "configmaps" },
      ]);
      await cluster.clock.advance(1_000);
      expect(await outcome).toContain("5000 ms");
      expect(cluster.cluster.faults.open.requests).toEqual([]);
      expect(await names(cluster)).toEqual([]);
    });

    test("end with their signal", async () => {
      const { cluster: world, client } = await hanging();
      await using cluster = world;
      const stop = new AbortController();
      const create = client.create(ConfigMap, map("a"), { signal: stop.signal });
      await cluster.rest();
      stop.abort(new Error("enough"));
      await expect(create).rejects.toThrow("enough");
    });

    test("break when the fault is taken away, and when the cluster closes", async () => {
      const { cluster: world, client, fault } = await hanging();
      await using cluster = world;
      const first = client.create(ConfigMap, map("a"));
      await cluster.rest();
      fault.remove();
      await expect(first).rejects.toMatchObject({ problem: "closed" });
      cluster.cluster.faults.fail({ verb: "create" }, "hang");
      const second = client.create(ConfigMap, map("b")).catch((error: unknown) => error);
      await cluster.rest();
      await cluster.cluster.close();
      expect(await second).toMatchObject({ problem: "closed" });
    });

    test("hang over a socket too", async () => {
      await using cluster = await startCluster({ controllers: "none", nodes: 0 });
      const { kubeconfig } = await cluster.listen();
      await using client = clientFromKubeConfig(await parseKubeConfig(kubeconfig, "kubeconfig"), {
        retry: false,
      });
      const fault = cluster.faults.fail({ verb: "create", resource: "configmaps" }, "hang");
      await expect(client.create(ConfigMap, map("a"), { timeout: 300 })).rejects.toThrow("300 ms");
      expect(fault.failed).toBe(1);
      await client.create(ConfigMap, map("a"));
    });
  });

  test.each([{ nth: 0 }, { times: 0 }, { nth: Number.NaN }])("$nth $times are refused", async (options) => {
    await using cluster = await VirtualCluster.start(bare);
    expect(() => cluster.cluster.faults.fail({}, "conflict", options)).toThrow("1 or more");
  });
});

describe("watches", () => {
  async function following() {
    const cluster = await VirtualCluster.start(bare);
    const client = cluster.cluster.connect({ userAgent: "follower" });
    const informer = new Informer({ client, resource: ConfigMap, clock: cluster.clock, random: () => 0.5 });
    informer.start();
    await cluster.rest();
    return {
      cluster,
      informer,
      faults: cluster.cluster.faults,
      cached: () => [...informer.store.entries()].map(([key]) => key),
      add: async (name: string) => {
        await cluster.client.create(ConfigMap, map(name));
        await cluster.rest();
      },
      async [Symbol.asyncDispose]() {
        await informer.close();
        await cluster[Symbol.asyncDispose]();
      },
    };
  }

  test("held, a cache lags behind, and catches up when released", async () => {
    await using world = await following();
    const release = world.faults.holdWatches({ client: "follower" });
    await world.add("a");
    await world.add("b");
    expect(world.cached()).toEqual([]);
    release();
    await world.cluster.rest();
    expect(world.cached()).toEqual(["default/a", "default/b"]);
  });

  test("held for a time, they go on by themselves", async () => {
    await using world = await following();
    world.faults.holdWatches({ resource: "configmaps" }, 30_000);
    await world.add("a");
    await world.cluster.clock.advance(29_000);
    expect(world.cached()).toEqual([]);
    await world.cluster.clock.advance(1_000);
    expect(world.cached()).toEqual(["default/a"]);
  });

  test("delayed, each event is seen as long after it happened as told, in order", async () => {
    await using world = await following();
    const { clock } = world.cluster;
    const start = clock.now();
    const seen: (readonly [string, number])[] = [];
    world.informer.onChange(({ key }) => seen.push([key, clock.now() - start]));
    const stop = world.faults.delayWatches({ client: "follower", resource: "configmaps" }, 30_000);
    await world.add("a");
    await clock.advance(10_000);
    await world.add("b");
    await world.add("c");
    await clock.advance(60_000);
    expect(seen).toEqual([
      ["default/a", 30_000],
      ["default/b", 40_000],
      ["default/c", 40_000],
    ]);
    await world.add("d");
    await clock.advance(1_000);
    expect(world.cached()).not.toContain("default/d");
    stop();
    await world.cluster.rest();
    await world.add("e");
    expect(seen.slice(3)).toEqual([
      ["default/d", 71_000],
      ["default/e", 71_000],
    ]);
  });

  test("delayed, watches that begin later are slow too; others are not", async () => {
    await using world = await following();
    world.faults.delayWatches({ client: "follower" }, 5_000);
    expect(world.faults.cutWatches({ client: "follower" })).toBe(1);
    await world.cluster.clock.advance(60_000);
    const other = world.cluster.client.watch(ConfigMap, { namespace });
    const next = other.next();
    await world.add("a");
    expect((await next).value).toMatchObject({ object: { metadata: { name: "a" } } });
    await other.return?.();
    await world.cluster.clock.advance(4_999);
    expect(world.cached()).toEqual([]);
    await world.cluster.clock.advance(1);
    expect(world.cached()).toEqual(["default/a"]);
  });

  test("nothing can be delayed by less than nothing", async () => {
    await using world = await following();
    expect(() => world.faults.delayWatches({}, 0)).toThrow("more than 0 ms");
  });

  test("cut, they are resumed where they were; expired, everything is listed again", async () => {
    await using world = await following();
    const lists = () => world.informer.counts.reduce((sum, { lists: count }) => sum + count, 0);
    const before = lists();
    expect(world.faults.cutWatches({ client: "follower" })).toBe(1);
    await world.add("a");
    await world.cluster.clock.advance(60_000);
    expect(world.cached()).toEqual(["default/a"]);
    expect(lists()).toBe(before);
    expect(world.faults.expireWatches({ client: "follower" })).toBe(1);
    await world.add("b");
    await world.cluster.clock.advance(60_000);
    expect(world.cached()).toEqual(["default/a", "default/b"]);
    expect(lists()).toBe(before + 1);
  });

  test("what is open is known by client", async () => {
    await using world = await following();
    expect(world.faults.open.watches).toMatchObject([{ client: "follower", resource: "configmaps" }]);
    expect(world.faults.open.requests).toEqual([]);
  });
});

test("a cluster closes while events are delayed", async () => {
  const clock = new VirtualClock();
  const cluster = await startCluster({ ...bare, clock });
  const watch = cluster.client.watch(ConfigMap, { namespace });
  const next = watch.next();
  cluster.faults.delayWatches({}, 60_000);
  await cluster.client.create(ConfigMap, map("a"));
  await clock.settle();
  await cluster.close();
  expect((await next).value).toMatchObject({ object: { metadata: { name: "a" } } });
  expect(clock.pending).toBe(0);
});

test("a cluster closes while watches are held", async () => {
  const clock = new VirtualClock();
  const cluster = await startCluster({ ...bare, clock });
  const watch = cluster.client.watch(ConfigMap, { namespace });
  const next = watch.next();
  cluster.faults.holdWatches({}, 60_000);
  await cluster.client.create(ConfigMap, map("a"));
  await clock.settle();
  await cluster.close();
  expect((await next).value).toMatchObject({ object: { metadata: { name: "a" } } });
  expect(clock.pending).toBe(0);
});
