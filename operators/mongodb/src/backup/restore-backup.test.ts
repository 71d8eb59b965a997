// What a restore refuses by its versions, on models of mongod in virtual time. What it writes is in test/mongodb/backup.test.ts.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BSON } from "mongodb";
import { afterAll, expect, test } from "vitest";
import type { MongoMember, ReadableMember } from "../client/mongo-member.js";
import { ArchiveWriter } from "./archive.js";
import { aloneMember } from "./fixtures/alone-member.js";
import { restoreBackup } from "./restore-backup.js";
import { takeBackup } from "./take-backup.js";

const folder = mkdtempSync(join(tmpdir(), "kubewright-restore-backup-"));
const file = join(folder, "backup");
afterAll(() => rmSync(folder, { recursive: true }));
const options = { name: "one.backup.gz", replace: false };

test.each([
  [
    "7.0.14",
    "4.4.29",
    "one.backup.gz is of MongoDB 7.0.14, and members run 4.4.29: restore it into 7.0 or later",
  ],
  ["4.4.29", "7.0.14", undefined],
  ["7.0.14", "7.0.2", undefined],
])("MongoDB: a backup of %s into %s", async (from, to, refusal) => {
  const source = await aloneMember(from);
  await source.insert("x", 1);
  await takeBackup([{ host: "a:27017", member: source.member }], "rs", file);
  const { member } = await aloneMember(to);
  const work = restoreBackup(member, file, options);
  if (refusal) await expect(work).rejects.toThrow(refusal);
  else expect(await work).toMatchObject({ collections: 1, documents: 1 });
});

test("MongoDB: a restore that ends in the middle says what is left, and is repeated with replace", async () => {
  const source = await aloneMember("7.0.14");
  const { member } = await aloneMember("7.0.14");
  for (let _id = 0; _id < 3; _id++) await source.insert("x", _id);
  await takeBackup([{ host: "a:27017", member: source.member }], "rs", file);
  const failing = {
    command: (db: string, command: Readonly<Record<string, unknown>>) =>
      "insert" in command ? Promise.reject(new Error("the disk is full")) : member.command(db, command),
  };
  await expect(restoreBackup(failing, file, options)).rejects.toThrow(
    "the disk is full; what was written stays: repeat the restore with spec.replace",
  );
  await expect(restoreBackup(member, file, options)).rejects.toThrow("is not empty");
  expect(await restoreBackup(member, file, { ...options, replace: true })).toMatchObject({ documents: 3 });
});

/** As MongoDB sends it: JavaScript would put the field 10 first. */
const bytesOf = (document: Map<string, unknown>): Uint8Array => BSON.serialize(document);

test("MongoDB: the keys of an index, and the fields of a view and a validator, keep their order where they look like numbers", async () => {
  const source = await aloneMember("7.0.14");
  await source.insert("x", 1);
  const key = new Map<string, unknown>([
    ["b", new BSON.Double(1)],
    ["10", -1],
    ["2", "2dsphere"],
  ]);
  const index = new Map<string, unknown>([
    ["v", 2],
    ["key", key],
    ["name", "b_1_10_-1_2_2dsphere"],
  ]);
  const pipeline = [new Map([["$sort", key]])];
  const listed = [
    { name: "x", type: "collection", options: { validator: new Map([["$expr", key]]) }, info: {} },
    { name: "view", type: "view", options: { viewOn: "x", pipeline }, info: {} },
  ];
  const member: ReadableMember = {
    ...source.member,
    async *documents(db, command) {
      if ("listIndexes" in command) yield bytesOf(index);
      else if ("listCollections" in command && db === "shop")
        yield* listed.map((each) => BSON.serialize(each));
      else if (!("listCollections" in command)) yield* source.member.documents(db, command);
    },
  };
  await takeBackup([{ host: "a:27017", member }], "rs", file);
  const target = await aloneMember("7.0.14");
  const sent: Uint8Array[] = [];
  const written: MongoMember = {
    command: (db, command) => {
      if ("createIndexes" in command) sent.push(BSON.serialize((command["indexes"] as object[])[0] ?? {}));
      if ("create" in command && "viewOn" in command)
        sent.push(BSON.serialize({ pipeline: command["pipeline"] }));
      if ("create" in command && "validator" in command)
        sent.push(BSON.serialize({ validator: command["validator"] }));
      return target.member.command(db, command);
    },
  };
  await restoreBackup(written, file, options);
  const expected = [{ validator: listed[0]?.options.validator }, index, { pipeline }];
  expect(sent.map((bytes) => Buffer.from(bytes).toString("hex"))).toEqual(
    expected.map((document) => Buffer.from(BSON.serialize(document)).toString("hex")),
  );
});

test("MongoDB: a document that the driver cannot write as it was stops the restore, with its collection", async () => {
  const { member } = await aloneMember("7.0.14");
  const twice = Buffer.concat([
    Buffer.alloc(4),
    Buffer.from("\x10_id\0\x07\0\0\0\x10_id\0\x02\0\0\0\0", "latin1"),
  ]);
  twice.writeInt32LE(twice.length, 0);
  const writer = new ArchiveWriter(file);
  const header = {
    replicaSet: "rs",
    mongodbVersion: "7.0.14",
    consistency: "Snapshot",
    clusterTime: 1,
    member: "a",
  } as const;
  await writer.write({ kind: "header", header });
  await writer.write({
    kind: "collection",
    collection: { db: "shop", name: "x", type: "collection", options: {}, indexes: [] },
  });
  await writer.write({ kind: "document", bytes: BSON.serialize({ _id: 1 }) });
  await writer.write({ kind: "document", bytes: twice });
  await writer.write({ kind: "count", documents: 2 });
  await writer.end();
  await expect(restoreBackup(member, file, options)).rejects.toThrow("shop.x: the document with _id");
});
