// Backups and their schedules in virtual time, on the model of mongod: agents do their own work in this process.
import { Pod } from "@kubewright/api";
import { agentTask } from "@kubewright/runtime/agent";
import { describe, expect, test } from "vitest";
import { MongoDBBackup } from "../api/v1/mongo-db-backup.js";
import { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { MongoDBRestore } from "../api/v1/mongo-db-restore.js";
import type { AgentTask } from "../backup/agent-task.js";
import {
  backUp,
  drop,
  eventsAbout,
  file,
  ids,
  insert,
  over,
  restore,
  target,
  world,
} from "./fixtures/backup-world.js";
import { MongoWorld, name } from "./fixtures/mongo-world.js";

describe("a MongoDBBackup", () => {
  test("is taken of a secondary by a pod that goes afterwards, and is restored with every document", async () => {
    await using w = await world();
    await insert(w, [1, 2, 3]);
    await backUp(w);
    const pod = await w.cluster.eventually(Pod, "one-backup");
    const task = agentTask(pod) as AgentTask | undefined;
    expect(task).toMatchObject({
      kind: "backup",
      file: "one.backup.gz",
      isSecure: false,
      store: { kind: "claim", folder: name },
    });
    expect(task?.hosts).toHaveLength(3);
    // The users of the images are not root: claims are opened to their groups.
    expect(pod.spec?.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 65_532,
      fsGroup: 65_532,
    });
    const { spec: member } = await w.cluster.get(Pod, "db-0");
    expect(member?.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 999, fsGroup: 999 });
    expect(pod.spec?.volumes?.map((volume) => volume.name)).toEqual(["snapshots", "scratch", "login"]);
    const { status } = await over(w, MongoDBBackup, "one");
    expect(status).toMatchObject({
      phase: "Succeeded",
      consistency: "Majority",
      mongodbVersion: "4.2.6",
      collections: 1,
      file: "one.backup.gz",
    });
    expect(status?.member).not.toBe((await w.get()).status?.primary);
    expect(status?.size).toBe(w.mongo.agents.files.get(file)?.length);
    await w.cluster.eventuallyGone(Pod, "one-backup");
    expect(await eventsAbout(w, "MongoDBBackup")).toEqual(
      expect.arrayContaining(["BackupStarted", "BackupSucceeded"]),
    );

    await restore(w);
    expect((await over(w, MongoDBRestore, "back")).status).toMatchObject({
      phase: "Failed",
      message: expect.stringContaining("shop of the backup is not empty"),
    });
    await insert(w, [4]);
    await restore(w, "replaced", { replace: true });
    expect((await over(w, MongoDBRestore, "replaced")).status).toMatchObject({
      phase: "Succeeded",
      documents: 3,
      users: 0,
    });
    expect(await ids(w)).toEqual([1, 2, 3]);
    await drop(w);
    await restore(w, "again");
    expect((await over(w, MongoDBRestore, "again")).status).toMatchObject({ phase: "Succeeded" });
    expect(await ids(w)).toEqual([1, 2, 3]);
    await w.cluster.eventuallyGone(Pod, "again-restore");
    expect(await eventsAbout(w, "MongoDBRestore")).toEqual(
      expect.arrayContaining(["RestoreStarted", "RestoreSucceeded", "RestoreFailed"]),
    );
  });

  test("of a version with snapshots is of one time", async () => {
    await using w = await world({ members: 1, version: "7.0.14" });
    await insert(w, [1]);
    await backUp(w);
    expect((await over(w, MongoDBBackup, "one")).status).toMatchObject({
      phase: "Succeeded",
      consistency: "Snapshot",
    });
  });

  test.each<[string, (w: MongoWorld) => Promise<unknown>, RegExp]>([
    [
      "there is no replica set",
      (w) => backUp(w, "one", { clusterName: "none", timeoutSeconds: 60 }),
      /longer than 60 s/,
    ],
    [
      "its claim is missing",
      (w) => backUp(w, "one", { target: { claim: { claimName: "none" } }, timeoutSeconds: 60 }),
      /longer than 60 s.*none/,
    ],
    [
      "the agent fails",
      (w) => {
        w.cluster.simulate(
          { image: "mongodb-operator:*" },
          { exit: { after: "0s", code: 1, message: '{"error":"HTTP 403"}' } },
        );
        return backUp(w);
      },
      /HTTP 403/,
    ],
  ])("says failed when %s", async (_, begin, message) => {
    await using w = await world({ members: 1 });
    await begin(w);
    const { status } = await over(w, MongoDBBackup, "one");
    expect(status?.phase).toBe("Failed");
    expect(status?.message).toMatch(message);
    expect(await eventsAbout(w, "MongoDBBackup")).toContain("BackupFailed");
    const { columnDefinitions, rows } = await w.cluster.client.table(MongoDBBackup, { namespace: "default" });
    const at = columnDefinitions.findIndex((column) => column.name === "Message");
    expect(columnDefinitions[at]?.priority, "shown by kubectl get -o wide").toBe(1);
    expect(rows[0]?.cells[at]).toBe(status?.message);
    await restore(w);
    expect((await over(w, MongoDBRestore, "back")).status?.message).toContain("MongoDBBackup one has failed");
  });

  test("is made at each time of a schedule, kept as often as asked, and missed when none succeeds", async () => {
    await using w = await world({ members: 1, backup: { schedule: "*/10 * * * *", target, keep: 2 } });
    await w.cluster.advance("41m");
    const names = ["db-scheduled-20260101003000", "db-scheduled-20260101004000"];
    expect((await w.cluster.list(MongoDBBackup)).map(({ metadata }) => metadata.name).toSorted()).toEqual(
      names,
    );
    expect([...w.mongo.agents.files.keys()].toSorted()).toEqual(
      names.map((each) => `claim/db/${each}.backup.gz`),
    );
    expect((await w.get()).status).toMatchObject({
      lastBackup: names[1],
      lastBackupTime: expect.stringContaining("2026-01-01T00:40"),
      lastBackupSize: w.mongo.agents.files.get(`claim/db/${names[1]}.backup.gz`)?.length,
      nextBackupTime: "2026-01-01T00:50:00.000Z",
      failedBackups: 0,
    });
    await w.cluster.condition(MongoDBCommunity, name, "BackupOverdue", "False");
    w.cluster.simulate(
      { image: "mongodb-operator:*" },
      { exit: { after: "0s", code: 1, message: '{"error":"the bucket is gone"}' } },
    );
    await w.cluster.advance("75m");
    await w.cluster.condition(MongoDBCommunity, name, "BackupOverdue", "True");
    expect((await w.condition("BackupOverdue"))?.message).toContain("the bucket is gone");
    expect((await w.get()).status?.failedBackups).toBeGreaterThanOrEqual(2);
    expect(await w.events()).toContain("BackupScheduled");
  });

  test("is not made by a schedule that cannot be read, and the status says why", async () => {
    await using w = await MongoWorld.start();
    await w.create({ members: 1, backup: { schedule: "every day", target } });
    await w.cluster.eventually(
      MongoDBCommunity,
      name,
      ({ status }) => status?.replicaSetId !== undefined && status.message?.includes("every day") === true,
    );
    expect((await w.condition("Degraded"))?.reason).toBe("ScheduleUnreadable");
  });
});
