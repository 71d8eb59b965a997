// The short part of the fault matrix on real etcd, for every run of the tests; `npm run test:etcd` runs the whole.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EtcdWorld, missing } from "./etcd-world.js";

describe.skipIf(missing !== undefined)(missing ?? "real etcd on process nodes", { timeout: 120_000 }, () => {
  let world: EtcdWorld;
  beforeAll(async () => {
    world = await EtcdWorld.start();
  }, 60_000);
  afterAll(() => world?.close(), 60_000);

  test("the sample becomes a cluster of three members", async () => {
    await world.create("my-etcd-cluster", { replicas: 3, storage: "10Gi" });
    const { status } = await world.settled("my-etcd-cluster", 3);
    console.log(JSON.stringify(status, undefined, 1));
    console.log(world.steps.map((s) => JSON.stringify(s)).join("\n"));
    expect(world.errors).toEqual([]);
  });
});
