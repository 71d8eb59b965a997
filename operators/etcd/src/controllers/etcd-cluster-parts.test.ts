// What surrounds the members of an EtcdCluster: volumes, alarms, and the end of it all.
import { PersistentVolumeClaim, Pod, Secret, Service } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import { create, eventsOf, kinds, name, patch, settled, world } from "./fixtures/cluster-world.js";

describe("what surrounds the members", { timeout: 60_000 }, () => {
  test("a larger size grows the claims that are there, a smaller one is refused", async () => {
    await using w = await world();
    await create(w, { replicas: 1 });
    await settled(w, 1);
    await patch(w, { storage: "2Gi" });
    await w.cluster.eventually(
      PersistentVolumeClaim,
      "data-db-0",
      ({ spec }) => spec?.resources?.requests?.["storage"] === "2Gi",
    );
    await patch(w, { storage: "1Gi" });
    await w.cluster.condition(EtcdCluster, name, "Degraded", "True");
    expect(await eventsOf(w)).toEqual(expect.arrayContaining(["ClaimGrown", "StorageNotShrunk"]));
  });

  test("an alarm for lack of space is shown, history compacted, and the alarm cleared", async () => {
    await using w = await world();
    await create(w);
    const { status } = await settled(w, 3);
    const etcd = w.etcd.clusterOf("db-0");
    etcd.revision = 50;
    w.steps.length = 0;
    etcd.raise(status?.members?.[1]?.id ?? "", "NOSPACE");
    await w.cluster.advance("15s");
    expect(kinds(w.steps)).toEqual(["compact", "disarm db-1"]);
    expect(etcd).toMatchObject({ compactRevision: 50, alarms: [] });
    expect(await eventsOf(w)).toEqual(expect.arrayContaining(["AlarmRaised", "Compacted", "AlarmDisarmed"]));
  });

  test("a member whose data differs is replaced, and its alarm goes with it", async () => {
    await using w = await world();
    await create(w);
    const { status } = await settled(w, 3);
    const etcd = w.etcd.clusterOf("db-0");
    const victim = status?.members?.[1]?.id ?? "";
    w.steps.length = 0;
    etcd.raise(victim, "CORRUPT");
    await w.cluster.advance("15s");
    const after = (await settled(w, 3)).status;
    expect(after?.members?.map(({ id }) => id)).not.toContain(victim);
    expect(etcd.alarms).toEqual([]);
    expect(kinds(w.steps)).toContain(`disarm the removed member ${victim}`);
    expect(await eventsOf(w)).toEqual(expect.arrayContaining(["AlarmRaised", "MemberFailed"]));
  });

  test("everything goes with the object", async () => {
    await using w = await world();
    await create(w, { tls: { client: {} } });
    await settled(w, 3);
    await w.cluster.delete(EtcdCluster, name);
    for (const [kind, child] of [
      [Pod, "db-0"],
      [PersistentVolumeClaim, "data-db-0"],
      [Service, "db-client"],
      [Secret, "db-ca"],
    ] as const)
      await w.cluster.eventuallyGone(kind as typeof Pod, child);
  });
});
