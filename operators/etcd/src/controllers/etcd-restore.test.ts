import { Pod } from "@kubewright/api";
import type { TestCluster } from "@kubewright/testing";
import { describe, expect, test } from "vitest";
import { EtcdRestore } from "../api/v1alpha1/etcd-restore.js";
import { backUp, ends, make, over, report, running, world } from "./fixtures/backup-world.js";

describe("an EtcdRestore", { timeout: 60_000 }, () => {
  const restore = (cluster: TestCluster, name = "db-2") =>
    cluster.create(EtcdRestore, {
      name: "back",
      spec: { source: { backupName: "one" }, cluster: { name } },
    });
  const restored = (cluster: TestCluster) =>
    cluster.eventually(EtcdRestore, "back", ({ status }) => status?.completionTime !== undefined, {
      timeout: "1h",
    });

  test("makes a cluster whose first member is filled from the snapshot, and which grows to its size", async () => {
    await using cluster = await world();
    ends(cluster, 0, report);
    cluster.simulate({ container: "restore" }, { exit: { after: "1s", code: 0 } });
    await make(cluster, { etcdOptions: { "quota-backend-bytes": "100000000" } });
    await running(cluster);
    await restore(cluster);
    await cluster.eventually(EtcdRestore, "back", ({ status }) => status?.phase === "Pending");
    await backUp(cluster);
    const pod = await cluster.eventually(Pod, "db-2-0");
    expect(pod.spec?.initContainers?.map(({ name }) => name)).toEqual(["fetch", "restore"]);
    expect(pod.spec?.securityContext).toMatchObject({ fsGroup: 65_532 });
    expect(pod.spec?.initContainers?.[1]?.command).toEqual([
      "etcdutl",
      "snapshot",
      "restore",
      "/restore/snapshot.db",
    ]);
    expect((await restored(cluster)).status?.phase).toBe("Succeeded");
    const { spec, status } = await running(cluster, "db-2");
    expect(status?.readyReplicas).toBe(3);
    expect(spec.etcdOptions).toEqual({ "quota-backend-bytes": "100000000" });
    expect((await cluster.get(Pod, "db-2-0")).spec?.initContainers ?? []).toEqual([]);
  });

  test("says failed when the snapshot cannot be fetched", async () => {
    await using cluster = await world();
    const rule = ends(cluster, 0, report);
    await make(cluster, { replicas: 1 });
    await running(cluster);
    await backUp(cluster);
    await over(cluster);
    rule.remove();
    ends(cluster, 1, { error: "one.db is damaged" });
    await restore(cluster);
    expect((await restored(cluster)).status).toMatchObject({
      phase: "Failed",
      message: "fetch: one.db is damaged",
    });
  });

  test("never touches a cluster that is there", async () => {
    await using cluster = await world();
    ends(cluster, 0, report);
    await make(cluster, { replicas: 1 });
    await running(cluster);
    await backUp(cluster);
    await over(cluster);
    await restore(cluster, "db");
    expect((await restored(cluster)).status?.message).toContain("already exists");
  });
});
