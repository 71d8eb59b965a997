// Restores in virtual time, on the model of mongod: agents do their own work in this process.
import { Pod } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { MongoDBBackup } from "../api/v1/mongo-db-backup.js";
import { MongoDBRestore } from "../api/v1/mongo-db-restore.js";
import { backUp, drop, file, ids, insert, over, restore, target, world } from "./fixtures/backup-world.js";
import { namespace } from "./fixtures/mongo-world.js";

test("a MongoDBRestore refuses a damaged file with the reason", async () => {
  await using w = await world({ members: 1, version: "7.0.14" });
  await insert(w, [1]);
  await backUp(w);
  await over(w, MongoDBBackup, "one");
  const whole = w.mongo.agents.files.get(file) ?? Buffer.alloc(0);
  w.mongo.agents.files.set(file, whole.subarray(0, -20));
  await restore(w, "damaged", { replace: true });
  expect((await over(w, MongoDBRestore, "damaged")).status).toMatchObject({
    phase: "Failed",
    message: expect.stringContaining("one.backup.gz is damaged: its sha256 is"),
  });
  const snapshot = { ...target, file: "one.backup.gz" };
  await restore(w, "by-file", { replace: true, source: { snapshot } });
  expect((await over(w, MongoDBRestore, "by-file")).status).toMatchObject({
    phase: "Failed",
    message: expect.stringContaining("one.backup.gz is cut short"),
  });
  expect(await ids(w)).toEqual([1]);
});

describe("a backup or restore that is ended in the middle", () => {
  test("by its pod: it has failed, says what is left, and is repeated", async () => {
    await using w = await world({ members: 1 });
    await insert(w, [1, 2]);
    const killPod = (command: string, pod: string) => {
      w.mongo.onCommand = (_member, given) => {
        if (given !== command) return;
        w.mongo.onCommand = undefined;
        w.mongo.agents.killAll();
        void w.cluster.client.delete(Pod, pod, { namespace, gracePeriodSeconds: 0 });
        throw new Error("the pod is gone");
      };
    };
    killPod("find", "one-backup");
    await backUp(w);
    expect((await over(w, MongoDBBackup, "one")).status?.phase).toBe("Failed");
    await w.cluster.client.delete(MongoDBBackup, "one", { namespace });
    await w.cluster.eventuallyGone(MongoDBBackup, "one");
    await backUp(w);
    expect((await over(w, MongoDBBackup, "one")).status?.phase).toBe("Succeeded");
    await drop(w);
    killPod("insert", "back-restore");
    await restore(w);
    const { status } = await over(w, MongoDBRestore, "back");
    expect(status).toMatchObject({
      phase: "Failed",
      message: expect.stringContaining("repeat the restore with spec.replace"),
    });
    await restore(w, "again", { replace: true });
    expect((await over(w, MongoDBRestore, "again")).status?.phase).toBe("Succeeded");
    expect(await ids(w)).toEqual([1, 2]);
  });

  test("by another primary: it goes on with that one, and nothing is there twice", async () => {
    await using w = await world();
    await insert(w, [1, 2]);
    await backUp(w);
    await over(w, MongoDBBackup, "one");
    await drop(w);
    const before = (await w.get()).status?.primary ?? "";
    w.mongo.onCommand = (member, given) => {
      if (given !== "insert" || member !== before) return;
      w.mongo.onCommand = undefined;
      w.mongo.pause(before);
    };
    await restore(w);
    expect((await over(w, MongoDBRestore, "back")).status).toMatchObject({
      phase: "Succeeded",
      documents: 2,
    });
    w.mongo.resume(before);
    await w.settled(3);
    expect((await w.get()).status?.primary).not.toBe(before);
    expect(await ids(w)).toEqual([1, 2]);
  });
});
