import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { BSON } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ArchiveRecord, ArchiveWriter, readArchive } from "./archive.js";
import { storedDocument } from "./stored-document.js";

const header = {
  replicaSet: "db",
  mongodbVersion: "7.0.14",
  consistency: "Snapshot",
  clusterTime: 1_700_000_000,
  member: "db-1",
} as const;
const collection = {
  db: "shop",
  name: "x",
  type: "collection",
  options: { capped: true, size: 4096 },
  indexes: [{ v: 2, key: { a: 1 }, name: "a_1", unique: true }],
};
const documents = Array.from({ length: 500 }, (_, _id) => BSON.serialize({ _id, text: "x".repeat(_id) }));

async function write(file: string): Promise<void> {
  const writer = new ArchiveWriter(file);
  await writer.write({ kind: "header", header });
  await writer.write({ kind: "collection", collection });
  for (const bytes of documents) await writer.write({ kind: "document", bytes });
  await writer.write({ kind: "count", documents: documents.length });
  await writer.end();
}

async function read(file: string): Promise<readonly ArchiveRecord[]> {
  const records: ArchiveRecord[] = [];
  for await (const record of readArchive(file, "one.backup.gz")) records.push(record);
  return records;
}

describe("the file of a MongoDB backup", () => {
  let folder: string;
  let file: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "kubewright-archive-"));
    file = join(folder, "whole");
    await write(file);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const changed = (change: (bytes: Buffer) => Buffer): string => {
    const path = join(folder, "changed");
    writeFileSync(path, change(readFileSync(file)));
    return path;
  };
  const repacked = (change: (bytes: Buffer) => Buffer) =>
    changed((bytes) => gzipSync(change(gunzipSync(bytes))));

  test("holds what was written, every document byte by byte", async () => {
    const records = await read(file);
    expect(records[0]).toMatchObject({ kind: "header", header });
    // Numbers keep their types, too.
    expect(BSON.serialize(records[1] ?? {})).toEqual(BSON.serialize({ kind: "collection", collection }));
    const found = records.flatMap((record) => (record.kind === "document" ? [record.bytes] : []));
    expect(Buffer.concat(found).equals(Buffer.concat(documents))).toBe(true);
    expect(records.at(-1)).toEqual({ kind: "count", documents: documents.length });
  });

  test("holds documents of the largest size that MongoDB takes", async () => {
    const path = join(folder, "large");
    const writer = new ArchiveWriter(path);
    const bytes = BSON.serialize({ _id: 1, data: randomBytes(16 * 1024 * 1024 - 100) });
    await writer.write({ kind: "header", header });
    for (let count = 0; count < 2; count++) await writer.write({ kind: "document", bytes });
    await writer.end();
    const [, ...found] = await read(path);
    expect(found).toHaveLength(2);
    expect(
      found.every((record) => record.kind === "document" && Buffer.compare(record.bytes, bytes) === 0),
    ).toBe(true);
  });

  test.each<[string, () => string, RegExp]>([
    ["cut short", () => changed((bytes) => bytes.subarray(0, -100)), /one\.backup\.gz is cut short/],
    ["cut to its first bytes", () => changed((bytes) => bytes.subarray(0, 20)), /is cut short/],
    ["empty", () => changed(() => Buffer.alloc(0)), /is cut short/],
    [
      "cut short and packed again",
      () => repacked((bytes) => bytes.subarray(0, -10)),
      /cut short in the middle/,
    ],
    [
      "without its last record",
      () => repacked((bytes) => bytes.subarray(0, -(1 + bytes.readInt32LE(bytes.lastIndexOf("E", -80) + 1)))),
      /cut short/,
    ],
    [
      "with one byte changed",
      () =>
        repacked((bytes) =>
          Buffer.from(bytes.map((byte, at) => (at === bytes.length - 400 ? byte ^ 1 : byte))),
        ),
      /does not match the checksum at its end/,
    ],
    [
      "damaged where it is compressed",
      () =>
        changed((bytes) => Buffer.from(bytes.map((byte, at) => (at > 500 && at < 520 ? byte ^ 255 : byte)))),
      /is damaged|is cut short/,
    ],
    ["something else", () => changed(() => gzipSync("not a backup")), /record that none can be/],
    ["no gzip", () => changed(() => Buffer.from("not a backup")), /is damaged: incorrect header check/],
    [
      "with something behind its end",
      () => repacked((bytes) => Buffer.concat([bytes, bytes])),
      /follows its end/,
    ],
  ])("is refused when it is %s", async (_, make, message) => {
    await expect(read(make())).rejects.toThrow(message);
  });
});

describe("a stored document", () => {
  const nested = new Map<string, unknown>([
    ["b", new BSON.Double(1)],
    ["2", BSON.Long.fromNumber(2)],
    [
      "list",
      [
        new Map([
          ["z", 1],
          ["0", 2],
        ]),
        new BSON.Int32(7),
        null,
      ],
    ],
    [
      "1",
      new Map<string, unknown>([
        ["y", new BSON.ObjectId()],
        ["9", new Date(5)],
      ]),
    ],
  ]);
  test.each<[string, Uint8Array]>([
    [
      "numbers that are no integers",
      BSON.serialize({ a: new BSON.Double(1), b: BSON.Long.fromNumber(1), c: 1 }),
    ],
    [
      "every other type",
      BSON.serialize({
        d: BSON.Decimal128.fromString("1.10"),
        t: new BSON.Timestamp({ t: 1, i: 2 }),
        r: new BSON.BSONRegExp("a", "i"),
        m: new BSON.MinKey(),
        u: new BSON.UUID(),
        c: new BSON.Code("f()", { x: 1 }),
        s: new BSON.BSONSymbol("s"),
        x: null,
      }),
    ],
    ["names that are numbers, in their order", BSON.serialize(nested)],
    [
      "a name that JavaScript knows",
      BSON.serialize(
        new Map([
          ["__proto__", 1],
          ["constructor", 2],
        ]),
      ),
    ],
  ])("is written with %s as it was", (_, bytes) => {
    expect(Buffer.compare(BSON.serialize(storedDocument(bytes)), bytes)).toBe(0);
  });

  test("that cannot be written as it was is refused by its id", () => {
    const twice = Buffer.concat([
      Buffer.alloc(4),
      Buffer.from("\x10_id\0\x07\0\0\0\x10a\0\x01\0\0\0\x10a\0\x02\0\0\0\0", "latin1"),
    ]);
    twice.writeInt32LE(twice.length, 0);
    expect(() => storedDocument(twice)).toThrow("the document with _id");
  });
});
