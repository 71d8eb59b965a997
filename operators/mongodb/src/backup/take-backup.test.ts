// What time a backup is of, and what it does when things change meanwhile. On a model of mongod, in virtual time.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BSON } from "mongodb";
import { afterAll, describe, expect, test } from "vitest";
import type { ReadableMember } from "../client/mongo-member.js";
import { readArchive } from "./archive.js";
import { aloneMember } from "./fixtures/alone-member.js";
import { takeBackup } from "./take-backup.js";

const folder = mkdtempSync(join(tmpdir(), "kubewright-take-backup-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, "backup");

/** The ids in each collection of the file. */
async function contents(): Promise<Readonly<Record<string, readonly number[]>>> {
  const found: Record<string, number[]> = {};
  let current: number[] = [];
  for await (const record of readArchive(file, "backup")) {
    if (record.kind === "collection") current = found[record.collection.name] ??= [];
    if (record.kind === "document") current.push(BSON.deserialize(record.bytes)["_id"]);
  }
  return found;
}

/** Does something after a collection was read. */
const disturbed = (
  member: ReadableMember,
  collection: string,
  work: () => Promise<unknown>,
): ReadableMember => ({
  ...member,
  async *documents(db, command) {
    yield* member.documents(db, command);
    if (command["find"] === collection) await work();
  },
});

const taken = (member: ReadableMember) => takeBackup([{ host: "a:27017", member }], "rs", file);

describe("a MongoDB backup", () => {
  test.each([
    ["7.0.14", "Snapshot", [1]],
    ["5.0.0", "Snapshot", [1]],
    ["4.4.29", "Majority", [1, 2]],
  ])(
    "of %s is %s: what is written meanwhile to a collection not read yet is %j",
    async (version, consistency, right) => {
      const { member, insert } = await aloneMember(version);
      await insert("left", 1);
      await insert("right", 1);
      const source = disturbed(member, "left", async () => {
        await insert("left", 2);
        await insert("right", 2);
      });
      expect(await taken(source)).toMatchObject({ consistency, collections: 2 });
      expect(await contents()).toMatchObject({ left: [1], right });
    },
  );

  test("that takes longer than members keep a snapshot fails, and names the remedy", async () => {
    const { member, insert, clock } = await aloneMember("7.0.14");
    await insert("left", 1);
    await insert("right", 1);
    const source = disturbed(member, "left", () => clock.advance(301_000));
    await expect(taken(source)).rejects.toThrow(
      "minSnapshotHistoryWindowInSeconds in additionalMongodConfig",
    );
  });

  test("is begun again when a collection is dropped meanwhile, and gives up when that goes on", async () => {
    const { member, insert } = await aloneMember("7.0.14");
    await insert("left", 1);
    await insert("right", 1);
    let drops = 0;
    const once = disturbed(member, "left", async () => {
      if (drops++ === 0) await member.command("shop", { drop: "right" });
    });
    expect(await taken(once)).toMatchObject({ collections: 1 });
    expect(await contents()).not.toHaveProperty("right");
    const always = disturbed(member, "left", async () => {
      await member.command("shop", { drop: "right" });
      await insert("right", drops++);
    });
    await insert("right", 1);
    await expect(taken(always)).rejects.toThrow("the collection shop.right was dropped or renamed meanwhile");
  });
});
