// The short part of the fault matrix on real etcd, for every run of the tests; `npm run test:etcd` runs the whole.
import { Event } from "@kubewright/api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EtcdCluster } from "../../operators/etcd/src/api/v1alpha1/etcd-cluster.js";
import { namespace } from "../process-nodes/process-cluster.js";
import { EtcdWorld, missing } from "./etcd-world.js";
import { Writer } from "./writer.js";

describe.skipIf(missing !== undefined)(missing ?? "real etcd on process nodes", { timeout: 120_000 }, () => {
  let world: EtcdWorld;
  let writer: Writer;
  const cluster = "my-etcd-cluster";
  beforeAll(async () => {
    world = await EtcdWorld.start();
  }, 60_000);
  afterAll(async () => {
    await writer?.stop();
    await world?.close();
  }, 60_000);

  test("the sample becomes a cluster of three members, though the operator is killed on the way", async () => {
    world.killAfterSteps(4);
    await world.create(cluster, { replicas: 3, storage: "10Gi" });
    for (let waited = 0; world.hasOperator && waited < 300; waited++)
      await new Promise((resolve) => setTimeout(resolve, 100));
    await world.startOperator();
    const { status } = await world.settled(cluster, 3);
    expect(status).toMatchObject({ ready: "3/3", phase: "Running" });
    const { columnDefinitions = [], rows = [] } = await world.client.table(EtcdCluster, { namespace });
    expect(columnDefinitions.map(({ name }) => name).slice(0, 5)).toEqual([
      "Name",
      "Ready",
      "Version",
      "Phase",
      "Leader",
    ]);
    expect(rows[0]?.cells?.slice(0, 2)).toEqual([cluster, "3/3"]);
    writer = await new Writer(world, cluster).start();
  });

  test("a member whose data is wiped is replaced, and no acknowledged write is lost", async () => {
    const victim = (await world.get(cluster)).status?.members?.[1];
    await world.nodes.exec(victim?.name ?? "", ["rm", "-rf", "/var/lib/etcd/data/member"]);
    world.signal(victim?.name ?? "", "SIGKILL");
    await world.until(
      cluster,
      ({ status }) => status?.members?.every(({ id }) => id !== victim?.id) === true,
    );
    await world.settled(cluster, 3);
    await writer.check();
    const { items } = await world.client.list(Event, { namespace });
    expect(items.map(({ reason }) => reason)).toContain("MemberFailed");
  });

  test("it shrinks to one without a write given up", async () => {
    writer.takeFailures();
    await world.patch(cluster, { replicas: 1 });
    await world.settled(cluster, 1);
    await writer.flowing();
    await writer.check();
    expect(writer.failures).toBe(0);
    expect(world.errors).toEqual([]);
  });
});
