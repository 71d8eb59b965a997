import type { StoredObject } from "@kubewright/kinds";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { CompactedError, MemoryStorage, RevisionConflict } from "./index.js";

const table = "configmaps";
const object = (name: string, value = 0) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "default", name, uid: name },
  data: { value: String(value) },
});
const names = (objects: Iterable<StoredObject>): string[] =>
  [...objects].map(({ metadata }) => metadata.name);

describe("MemoryStorage writes", () => {
  test("stamp objects with an increasing revision and freeze them", () => {
    const storage = new MemoryStorage();
    const first = storage.put(table, "default/a", object("a"), "absent");
    const second = storage.put(table, "default/b", object("b"), "absent");
    expect(Number(second.metadata.resourceVersion)).toBeGreaterThan(Number(first.metadata.resourceVersion));
    expect(() => Object.assign(first.metadata, { name: "x" })).toThrow(TypeError);
  });

  test("are refused when the object is not what the writer expected", () => {
    const storage = new MemoryStorage();
    const { metadata } = storage.put(table, "default/a", object("a"), "absent");
    expect(() => storage.put(table, "default/a", object("a"), "absent")).toThrow(RevisionConflict);
    expect(() => storage.put(table, "default/a", object("a"), { revision: "7" })).toThrow(RevisionConflict);
    storage.put(table, "default/a", object("a", 1), { revision: metadata.resourceVersion });
    expect(() => storage.delete(table, "default/a", { revision: metadata.resourceVersion })).toThrow(
      RevisionConflict,
    );
  });

  test("delete returns the last state at the revision of the deletion", () => {
    const storage = new MemoryStorage();
    storage.put(table, "default/a", object("a", 5), "absent");
    const last = storage.delete(table, "default/a", "any");
    expect(last["data"]).toEqual({ value: "5" });
    expect(last.metadata.resourceVersion).toBe(String(storage.revision));
    expect(storage.get(table, "default/a")).toBeUndefined();
  });
});

describe("MemoryStorage lists", () => {
  test("are in key order, and only with the prefix", () => {
    const storage = new MemoryStorage();
    for (const key of ["b/x", "a-b/y", "a/z", "a/a"]) storage.put(table, key, object(key), "absent");
    expect(names(storage.list(table, { prefix: "" }))).toEqual(["a-b/y", "a/a", "a/z", "b/x"]);
    expect(names(storage.list(table, { prefix: "a/" }))).toEqual(["a/a", "a/z"]);
    expect(names(storage.list(table, { prefix: "a/", after: "a/a" }))).toEqual(["a/z"]);
    expect(storage.count(table, { prefix: "a/" })).toBe(2);
  });

  test("of a compacted revision are refused", () => {
    const storage = new MemoryStorage();
    const { metadata } = storage.put(table, "default/a", object("a"), "absent");
    storage.put(table, "default/a", object("a", 1), "any");
    storage.compact(storage.revision);
    expect(() => [
      ...storage.list(table, { prefix: "", revision: Number(metadata.resourceVersion) }),
    ]).toThrow(CompactedError);
  });
});

const operation = fc.record({ key: fc.integer({ min: 0, max: 5 }), remove: fc.boolean() });

test("MemoryStorage: every past state can be listed and counted, and a subscriber gets every change once", () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
      const storage = new MemoryStorage();
      const model = new Map<string, string>();
      const past = new Map<number, string[]>([[storage.revision, []]]);
      const seen: number[] = [];
      storage.subscribe(table, storage.revision, ({ revision }) => seen.push(revision));
      operations.forEach(({ key, remove }, step) => {
        const name = `k${key}`;
        if (remove && !model.has(name)) return;
        if (remove) storage.delete(table, `default/${name}`, "any");
        else storage.put(table, `default/${name}`, object(name, step), "any");
        if (remove) model.delete(name);
        else model.set(name, String(step));
        past.set(storage.revision, [...model].map(([k, v]) => `${k}=${v}`).sort());
      });
      for (const [revision, state] of past) {
        const listed = [...storage.list(table, { prefix: "", revision })];
        expect(
          listed.map((item) => `${item.metadata.name}=${(item["data"] as { value: string }).value}`),
        ).toEqual(state);
        expect(storage.count(table, { prefix: "", revision })).toBe(state.length);
        const rest = { prefix: "default/", after: "default/k2", revision };
        expect(names(storage.list(table, rest))).toEqual(names(listed).filter((name) => name > "k2"));
        expect(storage.count(table, rest)).toBe(names(storage.list(table, rest)).length);
      }
      const replayed: number[] = [];
      storage.subscribe(table, 1, ({ revision }) => replayed.push(revision));
      expect(seen).toEqual(replayed);
      expect(seen).toEqual([...seen].sort((a, b) => a - b));
    }),
  );
});

describe("MemoryStorage history", () => {
  const storm = (storage: MemoryStorage, writes: number, text = ""): void => {
    for (let step = 0; step < writes; step++)
      storage.put(table, "default/a", { ...object("a", step), text: text + step }, "any");
  };
  const countSince = (storage: MemoryStorage, revision: number): number => {
    let count = 0;
    storage.subscribe(table, revision, () => count++)();
    return count;
  };

  test("is bounded in number", () => {
    const storage = new MemoryStorage({ history: { changes: 10 } });
    storm(storage, 5000);
    expect(() => countSince(storage, storage.revision - 11)).toThrow(CompactedError);
    expect(countSince(storage, storage.revision - 10)).toBe(10);
  });

  test("is bounded in size, and always keeps the newest change", () => {
    const storage = new MemoryStorage({ history: { bytes: 100_000 } });
    storm(storage, 200, "x".repeat(10_000));
    expect(() => countSince(storage, storage.revision - 10)).toThrow(CompactedError);
    expect(countSince(storage, storage.revision - 9)).toBe(9);
    storm(storage, 1, "x".repeat(200_000));
    expect(countSince(storage, storage.revision - 1)).toBe(1);
  });

  test("is bounded by its size in memory, which can be many times that as JSON", () => {
    const storage = new MemoryStorage({ history: { memory: 1_000_000 } });
    const list = Array.from({ length: 1_000 }, () => ({}));
    for (let step = 0; step < 50; step++)
      storage.put(table, "default/a", { ...object("a", step), list: structuredClone(list) }, "any");
    expect(() => countSince(storage, storage.revision - 15)).toThrow(CompactedError);
    expect(countSince(storage, storage.revision - 5)).toBe(5);
  });

  test("is bounded for all resources together: those with the most lose theirs first", () => {
    const storage = new MemoryStorage({ history: { allMemory: 200_000 } });
    storage.put("others", "b", object("b", 0), "any");
    const quiet = storage.revision;
    storm(storage, 100, "x".repeat(10_000));
    expect(() => countSince(storage, storage.revision - 20)).toThrow(CompactedError);
    expect(countSince(storage, storage.revision - 5)).toBe(5);
    const seen: number[] = [];
    storage.subscribe("others", quiet - 1, ({ revision }) => seen.push(revision))();
    expect(seen).toEqual([quiet]);
  });

  test("is bounded in age", () => {
    const clock = new FakeClock();
    const storage = new MemoryStorage({ history: { age: 60_000 }, clock });
    storm(storage, 5);
    clock.time = 61_000;
    storm(storage, 1);
    expect(() => countSince(storage, storage.revision - 2)).toThrow(CompactedError);
    expect(countSince(storage, storage.revision - 1)).toBe(1);
  });

  test("reports the revision from which on it is complete", () => {
    const storage = new MemoryStorage({ history: { changes: 3 } });
    storm(storage, 8);
    expect(() => countSince(storage, 2)).toThrow(
      expect.objectContaining({ oldest: storage.revision - 3, name: "CompactedError" }),
    );
  });
});

class FakeClock {
  time = 0;
  now = () => this.time;
  monotonic = () => this.time;
  setTimer = () => ({ cancel: () => undefined });
  busy = () => () => undefined;
}

test("MemoryStorage: refuses what etcd would refuse, and stays as it was", () => {
  const storage = new MemoryStorage();
  const { revision } = storage;
  const large = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {},
    data: { k: "x".repeat(1.6 * 1024 * 1024) },
  };
  expect(() => storage.put("configmaps", "default/a", large, "absent")).toThrow(
    "etcdserver: request is too large",
  );
  expect(storage.get("configmaps", "default/a")).toBeUndefined();
  expect(storage.revision).toBe(revision);
});
