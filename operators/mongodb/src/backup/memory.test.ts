// A backup and a restore hold a batch of documents in memory, however large a collection is. Members are stand-ins that make and take
// documents without keeping them.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BSON } from "mongodb";
import { expect, test } from "vitest";
import type { Document, ReadableMember } from "../client/mongo-member.js";
import { restoreBackup } from "./restore-backup.js";
import { takeBackup } from "./take-backup.js";

const megabyte = 1024 * 1024;
/** 400 MB. */
const count = 400_000;
const isLong = Boolean(process.env["KUBEWRIGHT_MONGODB_MATRIX"]);
const text = "some text that is compressed well. ".repeat(28);

/** A member with one collection of so many documents of a kilobyte. */
function member(look: () => void): ReadableMember {
  const time = { majorityOpTime: { ts: new BSON.Timestamp({ t: 1, i: 1 }) } };
  const answers: Readonly<Record<string, Document>> = {
    hello: { isWritablePrimary: true, setName: "rs" },
    isMaster: { lastWrite: time },
    buildInfo: { version: "7.0.14" },
    listDatabases: { databases: [{ name: "shop" }] },
    listCollections: { cursor: { firstBatch: [] } },
    find: { cursor: { firstBatch: [] } },
    count: { n: count },
  };
  return {
    command: async (_db, command) => {
      look();
      return answers[Object.keys(command)[0] ?? ""] ?? {};
    },
    async *documents(_db, command) {
      if ("listCollections" in command) yield BSON.serialize({ name: "x", type: "collection" });
      if (command["find"] !== "x") return;
      for (let _id = 0; _id < count; _id++) {
        if (_id % 10_000 === 0) look();
        yield BSON.serialize({ _id, text });
      }
    },
  };
}

test.skipIf(!isLong)(
  "MongoDB: a backup and a restore of a large collection take little memory (npm run test:mongodb)",
  {
    timeout: 120_000,
  },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "kubewright-mongodb-memory-"));
    const file = join(folder, "backup");
    let peak = 0;
    const used = () => process.memoryUsage().heapUsed + process.memoryUsage().external;
    const source = member(() => {
      peak = Math.max(peak, used());
    });
    try {
      const before = used();
      const taken = await takeBackup([{ host: "a", member: source }], "rs", file);
      expect(taken).toMatchObject({ documents: count });
      const done = await restoreBackup(source, file, { name: "backup", replace: false });
      expect(done).toMatchObject({ documents: count });
      // All of it would be 400 MB as bytes alone, and more as objects.
      expect((peak - before) / megabyte).toBeLessThan(120);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
