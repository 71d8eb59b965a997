import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DataError, type DurableStorage, openDurableStorage, type StorageRow } from "../index.js";

const table = "configmaps";
const object = (name: string, value = "") => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "default", name, uid: name },
  data: { value },
});

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "kubewright-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const log = (generation = 1) => join(directory, `log-0000000${generation}`);
const open = (options: { snapshotAfter?: number } = {}) => openDurableStorage({ directory, ...options });
const state = ({ storage }: DurableStorage) => {
  const rows = [...storage.contents().rows].map(({ resource, key, object }: StorageRow) => [
    `${resource} ${key}`,
    object,
  ]);
  return { revision: storage.revision, objects: Object.fromEntries(rows) };
};
const reopened = async (): Promise<ReturnType<typeof state>> => {
  const opened = open();
  const found = state(opened);
  await opened.close();
  return found;
};

describe("data directory", () => {
  test("restores what was written: objects, deletions, revisions", async () => {
    const first = open();
    expect(first.isNew).toBe(true);
    first.storage.put(table, "default/a", object("a"), "absent");
    first.storage.put(table, "default/b", object("b", "\ud800 ü \u2028 __proto__"), "absent");
    first.storage.put(table, "default/a", object("a", "2"), "any");
    first.storage.delete(table, "default/b", "any");
    first.storage.put(
      "other",
      "x",
      JSON.parse(`{"apiVersion":"v1","kind":"X","metadata":{},"__proto__":1}`),
      "any",
    );
    const before = state(first);
    await first.close();
    expect(await reopened()).toEqual(before);
  });

  test("is written before subscribers of flushed changes are notified", async () => {
    const { storage, close } = open();
    const notified: string[] = [];
    storage.subscribe(table, storage.revision, ({ key }) => notified.push(`written ${key}`));
    storage.subscribe(table, storage.revision, ({ key }) => notified.push(`flushed ${key}`), "flushed");
    storage.put(table, "a", object("a"), "absent");
    expect(notified).toEqual(["written a"]);
    expect(storage.flushedRevision).toBe(storage.revision - 1);
    expect(readFileSync(log(), "utf8")).not.toContain('"uid":"a"');
    storage.subscribe(table, storage.revision - 1, ({ key }) => notified.push(`late ${key}`), "flushed");
    await storage.flushed();
    expect(readFileSync(log(), "utf8")).toContain('"uid":"a"');
    expect(storage.flushedRevision).toBe(storage.revision);
    expect(notified).toEqual(["written a", "late a", "flushed a"]);
    await close();
  });

  test("writes concurrent changes with one flush", async () => {
    const { storage, close } = open();
    const waits = Array.from({ length: 50 }, (_, index) => {
      storage.put(table, `k${index}`, object(`k${index}`), "absent");
      return storage.flushed();
    });
    await Promise.all(waits);
    expect(readFileSync(log(), "latin1").split("KFW1").length - 1).toBe(1);
    await close();
  });

  test("replaces logs by snapshots without losing a change", async () => {
    const first = open({ snapshotAfter: 2_000 });
    for (let index = 0; index < 300; index++) {
      first.storage.put(table, `k${index % 40}`, object(`k${index}`, String(index)), "any");
      if (index % 7 === 0) await first.storage.flushed();
    }
    const before = state(first);
    await first.close();
    const files = readdirSync(directory);
    expect(files.some((name) => name.startsWith("snapshot-"))).toBe(true);
    expect(files.filter((name) => name.startsWith("log-")).length).toBeLessThan(4);
    expect(await reopened()).toEqual(before);
  });

  test("refuses all writes once one has failed", async () => {
    const errors: unknown[] = [];
    const { storage, close } = openDurableStorage({
      directory,
      snapshotAfter: 1,
      onError: (error) => errors.push(error),
    });
    rmSync(directory, { recursive: true });
    storage.put(table, "a", object("a"), "absent");
    await expect.poll(() => errors.length).toBe(1);
    expect(() => storage.put(table, "b", object("b"), "absent")).toThrow("cannot be written");
    await expect(storage.flushed()).rejects.toThrow("cannot be written");
    expect(storage.get(table, "b")).toBeUndefined();
    await close().catch(() => undefined);
  });
});

describe("data directory with a file that is made after its state", () => {
  const madeAfter = () => join(directory, "keys.json");
  const reopen = () => openDurableStorage({ directory, madeAfter: madeAfter() });

  test("is refused when its log is emptied or missing", async () => {
    const { storage, close } = open();
    storage.put(table, "a", object("a"), "absent");
    await close();
    writeFileSync(madeAfter(), "{}");
    await reopen().close();
    for (const [damage, what] of [
      [() => truncateSync(log(), 0), "empty"],
      [() => rmSync(log()), "missing"],
    ] as const) {
      damage();
      expect(reopen).toThrow(DataError);
      expect(reopen).toThrow(`has lost its state: ${log()} is ${what}; restore it from a copy, or`);
    }
  });
});

describe("data directory whose owner was stopped and replaced", () => {
  test("acknowledges nothing any more, and leaves the files of the next owner alone", async () => {
    const errors: unknown[] = [];
    const first = openDurableStorage({ directory, onError: (error) => errors.push(error) });
    first.storage.put(table, "a", object("a"), "absent");
    await first.storage.flushed();
    // As another process finds it that cannot see this one, which does not touch its lock while it is stopped.
    writeFileSync(join(directory, "other"), "1 elsewhere:1 pid:[1] x\n");
    renameSync(join(directory, "other"), join(directory, "lock"));
    const second = openDurableStorage({ directory, lockTimes: { touchEvery: 20, waitFor: 200 } });
    second.storage.put(table, "b", object("b"), "absent");
    await second.storage.flushed();
    first.storage.put(table, "c", object("c"), "absent");
    await expect(first.storage.flushed()).rejects.toThrow("another process has taken over the directory");
    expect(() => first.storage.put(table, "d", object("d"), "absent")).toThrow("has taken over");
    expect(errors).toHaveLength(1);
    await first.close();
    const before = state(second);
    await second.close();
    expect(Object.keys(before.objects)).toEqual([`${table} a`, `${table} b`]);
    expect(await reopened()).toEqual(before);
  });
});

describe("lock of a data directory", () => {
  test("keeps a second process out, and is released", async () => {
    const first = open();
    expect(() => open()).toThrow(`is in use by process ${process.pid}`);
    await first.close();
    await open().close();
  });
});

/** A header whose checksum is right and whose bytes are all letters and digits, so that a text can hold it. */
function forgedHeader(): string {
  const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  for (let seed = 0; ; seed++) {
    const letter = (place: number) => letters[Math.floor(seed / letters.length ** place) % letters.length];
    const fields = `KFW1aa27${letter(0)}${letter(1)}${letter(2)}${letter(3)}`;
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32LE(crc32(fields));
    if (checksum.every((byte) => letters.includes(String.fromCharCode(byte)))) return fields + checksum;
  }
}

/** A log of several frames, and what the store held after each. */
async function written(): Promise<{ bytes: Buffer; states: Map<number, ReturnType<typeof state>> }> {
  const opened = open();
  const end = () => readFileSync(log()).findLastIndex((byte) => byte !== 0) + 1;
  const states = new Map([[end(), state(opened)]]);
  for (let index = 0; index < 6; index++) {
    for (let each = 0; each <= index % 3; each++)
      opened.storage.put(table, `k${index}${each}`, object(`k${index}`, "x".repeat(index * 100)), "any");
    if (index === 3) opened.storage.delete(table, "k00", "any");
    await opened.storage.flushed();
    states.set(end(), state(opened));
  }
  await opened.close();
  return { bytes: readFileSync(log()), states };
}

// Hundreds of directories are opened and closed, each with its writes on disk.
describe("data directory: a damaged log", { timeout: 120_000 }, () => {
  test("cut off anywhere is truncated to the last whole frame, reported, and appended to", async () => {
    const { bytes, states } = await written();
    const ends = [...states.keys()];
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: bytes.length }), async (length) => {
        writeFileSync(log(), bytes.subarray(0, length));
        const end = ends.findLast((place) => place <= length) ?? 0;
        const opened = open();
        expect(state(opened)).toEqual(states.get(end) ?? { revision: 1, objects: {} });
        expect(opened.torn).toEqual(
          length === end ? undefined : { file: log(), offset: end, bytes: length - end },
        );
        opened.storage.put(table, "after", object("after"), "absent");
        const after = state(opened);
        await opened.close();
        expect(await reopened()).toEqual(after);
      }),
      { numRuns: 150 },
    );
  });

  test("with any bit flipped is refused by file and offset, and left as it is", async () => {
    const { bytes, states } = await written();
    const starts = [0, ...states.keys()];
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: bytes.length * 8 - 1 }), async (bit) => {
        const flipped = Buffer.from(bytes);
        const place = bit >> 3;
        flipped[place] = (flipped[place] ?? 0) ^ (1 << (bit & 7));
        writeFileSync(log(), flipped);
        const start = starts.findLast((offset) => offset <= place);
        expect(() => open()).toThrow(DataError);
        expect(() => open()).toThrow(start === 0 ? /offset 0|newer one/ : `offset ${start} `);
        expect(() => open()).toThrow(log());
        expect(readFileSync(log()).equals(flipped)).toBe(true);
        expect(existsSync(join(directory, "lock"))).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  test("whose torn tail holds text that looks like a frame is cut back all the same", async () => {
    const forged = forgedHeader();
    const first = open();
    first.storage.put(table, "before", object("before"), "absent");
    await first.storage.flushed();
    const before = state(first);
    const end = readFileSync(log()).findLastIndex((byte) => byte !== 0) + 1;
    first.storage.put(
      table,
      "forged",
      object("forged", "x".repeat(1_000) + forged + "x".repeat(2_000)),
      "absent",
    );
    await first.close();
    const bytes = readFileSync(log());
    expect(bytes.includes(forged)).toBe(true);
    const sectorAfter = (place: number) => place - (place % 512) + 512;
    for (const [from, to] of [
      [end, sectorAfter(end)],
      [sectorAfter(bytes.length - 1_000), bytes.length],
    ] as const) {
      writeFileSync(log(), Buffer.from(bytes).fill(0, from, to));
      const opened = open();
      expect(opened.torn?.offset).toBe(end);
      expect(state(opened)).toEqual(before);
      await opened.close();
    }
  });

  test("with parts that never reached the disk is truncated at its end, and refused as damaged before it", async () => {
    const { bytes, states } = await written();
    const ends = [...states.keys()];
    const last = ends.at(-2) ?? 0;
    const hole = (from: number, to: number): Buffer => Buffer.from(bytes).fill(0, from, to);
    for (const [from, to] of [
      [last, last + 100],
      [bytes.length - (bytes.length % 512), bytes.length],
    ] as const) {
      writeFileSync(log(), hole(from, to));
      const opened = open();
      expect(opened.torn?.offset).toBe(last);
      expect(state(opened)).toEqual(states.get(last));
      await opened.close();
    }
    for (const grown of [bytes, bytes.subarray(0, last)]) {
      writeFileSync(log(), grown);
      appendFileSync(log(), Buffer.alloc(5_000));
      const opened = open();
      expect(opened.torn).toBeUndefined();
      expect(state(opened)).toEqual(states.get(grown.length));
      await opened.close();
    }
    const first = ends[0] ?? 0;
    writeFileSync(log(), hole(first, first + 30));
    expect(() => open()).toThrow(`${log()} is damaged: the record at offset ${first} `);
  });

  test.each([
    [
      "of a newer format",
      "kubewright log 7\n",
      "has format 7, and this version of kubewright reads up to 1; use a newer",
    ],
    ["that is something else", "#!/bin/sh\n", "this is no log of a cluster"],
    ["that is a snapshot", "kubewright snapshot 1\n", "this is no log of a cluster"],
  ])("%s is refused", (_, text, message) => {
    writeFileSync(log(), text);
    expect(() => open()).toThrow(`${log()}: `);
    expect(() => open()).toThrow(message);
  });
});

describe("data directory with snapshots", () => {
  async function withSnapshot(): Promise<{ snapshot: string; generation: number }> {
    const opened = open({ snapshotAfter: 500 });
    for (let index = 0; index < 20; index++) {
      opened.storage.put(table, `k${index}`, object(`k${index}`), "any");
      await opened.storage.flushed();
    }
    await opened.close();
    const name =
      readdirSync(directory)
        .filter((file) => file.startsWith("snapshot-"))
        .at(-1) ?? "";
    return { snapshot: join(directory, name), generation: Number(name.slice(-8)) };
  }

  test("is refused when the snapshot is damaged, cut short or of a newer format", async () => {
    const { snapshot } = await withSnapshot();
    const bytes = readFileSync(snapshot);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: bytes.length - 1 }), fc.boolean(), async (place, cut) => {
        const changed = Buffer.from(bytes);
        changed[place] = (changed[place] ?? 0) ^ 4;
        writeFileSync(snapshot, cut ? bytes.subarray(0, place) : changed);
        expect(() => open()).toThrow(DataError);
        expect(() => open()).toThrow(snapshot);
      }),
      { numRuns: 100 },
    );
  });

  test("is refused when a log is missing, or a log that others follow is cut short", async () => {
    const { generation } = await withSnapshot();
    const bytes = readFileSync(log(generation));
    rmSync(log(generation));
    expect(() => open()).toThrow(`${log(generation)} is missing`);
    writeFileSync(log(generation), bytes);
    const { storage, close } = open();
    storage.put(table, "more", object("more"), "absent");
    await close();
    writeFileSync(log(generation + 1), "kubewright log 1\n");
    truncateSync(log(generation), readFileSync(log(generation)).length - 1);
    expect(() => open()).toThrow(`${log(generation)} is damaged`);
  });

  test("is refused when the log of the snapshot is emptied", async () => {
    const { generation } = await withSnapshot();
    truncateSync(log(generation), 0);
    expect(() => open()).toThrow(`${log(generation)} is damaged: the record at offset 0 cannot be read`);
    expect(readFileSync(log(generation))).toHaveLength(0);
  });

  test("deletes snapshots that were never finished", async () => {
    const { generation } = await withSnapshot();
    const unfinished = join(directory, `snapshot-0000000${generation + 1}.tmp`);
    writeFileSync(unfinished, "kube");
    await reopened();
    expect(existsSync(unfinished)).toBe(false);
  });
});
