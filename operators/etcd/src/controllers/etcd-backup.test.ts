import { Pod } from "@kubewright/api";
import { agentTask } from "@kubewright/runtime/agent";
import { describe, expect, test } from "vitest";
import { EtcdBackup } from "../api/v1alpha1/etcd-backup.js";
import { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import {
  backUp,
  ends,
  eventsAbout,
  make,
  over,
  report,
  running,
  target,
  world,
} from "./fixtures/backup-world.js";

describe("an EtcdBackup", { timeout: 60_000 }, () => {
  test("has what the agent reports, and no pod any more", async () => {
    await using cluster = await world();
    ends(cluster, 0, report);
    await make(cluster);
    await running(cluster);
    await backUp(cluster);
    const pod = await cluster.eventually(Pod, "one-snapshot");
    const task = agentTask(pod) as { readonly hosts: readonly string[] };
    expect(task).toMatchObject({
      kind: "snapshot",
      file: "one.db",
      isSecure: false,
      store: { folder: "db" },
    });
    expect(task.hosts).toHaveLength(3);
    expect(task.hosts[2]).toBe("db-0.db-peers.default.svc");
    const { status } = await over(cluster);
    expect(status).toMatchObject({
      phase: "Succeeded",
      member: "db-1",
      revision: 7,
      size: 20_480,
      sha256: report.sha256,
      startTime: expect.stringMatching(/^2026-01-01T/),
      file: "one.db",
    });
    await cluster.eventuallyGone(Pod, "one-snapshot");
    expect(await eventsAbout(cluster, "EtcdBackup")).toEqual(
      expect.arrayContaining(["BackupStarted", "BackupSucceeded"]),
    );
  });

  test.each<[string, [number, object] | undefined, boolean, RegExp]>([
    ["the agent fails", [1, { error: "HTTP 403" }], true, /^HTTP 403$/],
    ["the agent says nothing", [0, {}], true, /reported nothing/],
    ["there is no cluster", [0, report], false, /longer than 60 s: there is no EtcdCluster db$/],
    ["the agent never ends", undefined, true, /longer than 60 s|deadline/i],
  ])("says failed when %s", async (_, end, hasCluster, message) => {
    await using cluster = await world();
    if (end) ends(cluster, ...end);
    if (hasCluster) {
      await make(cluster);
      await running(cluster);
    }
    await backUp(cluster, { timeoutSeconds: 60 });
    const { status } = await over(cluster);
    expect(status?.phase).toBe("Failed");
    expect(status?.message).toMatch(message);
    expect(await eventsAbout(cluster, "EtcdBackup")).toContain("BackupFailed");
  });

  test("is made at each time of a schedule, kept as often as asked, and missed when none succeeds", async () => {
    await using cluster = await world();
    const rule = ends(cluster, 0, report);
    await make(cluster, { replicas: 1, backup: { schedule: "0 * * * *", target, keep: 2 } });
    await running(cluster);
    await cluster.advance("4h1m");
    const backups = await cluster.list(EtcdBackup);
    expect(backups.map(({ metadata }) => metadata.name).toSorted()).toEqual([
      "db-scheduled-20260101030000",
      "db-scheduled-20260101040000",
    ]);
    expect((await cluster.get(EtcdCluster, "db")).status).toMatchObject({
      lastBackup: "db-scheduled-20260101040000",
    });
    await cluster.condition(EtcdCluster, "db", "BackupOverdue", "False");
    rule.remove();
    ends(cluster, 1, { error: "the bucket is gone" });
    await cluster.advance("3h");
    await cluster.condition(EtcdCluster, "db", "BackupOverdue", "True");
    expect(await eventsAbout(cluster, "EtcdCluster")).toContain("BackupScheduled");
  });
});
