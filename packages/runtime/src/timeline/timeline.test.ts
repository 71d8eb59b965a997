import { VirtualClock } from "@kubewright/api";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ReconcileRecord } from "../controller/reconcile-observer.js";
import { Ring } from "./ring.js";
import { Timeline } from "./timeline.js";

const record = (key: string, more: Partial<ReconcileRecord> = {}): ReconcileRecord => ({
  controller: "box",
  key,
  reasons: ["Box changed"],
  outcome: { kind: "success", requeueAfter: undefined },
  began: 0,
  duration: 1,
  waited: 0,
  reconcileID: undefined,
  reads: [],
  writes: [],
  events: [],
  ...more,
});

test("the ring of a timeline keeps the last entries, the latest first", () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), fc.integer({ min: 1, max: 10 }), (items, capacity) => {
      const ring = new Ring<number>(capacity);
      for (const [order, item] of items.entries()) ring.push(item, order);
      const kept = items.map((item, order) => ({ item, order })).slice(-capacity);
      expect([...ring.latest()]).toEqual(kept.reverse());
      expect(ring.size).toBe(Math.min(capacity, items.length));
    }),
  );
});

describe("a timeline", () => {
  test("reports the latest first, by controller and key, in wall-clock time", () => {
    const clock = new VirtualClock();
    const timeline = new Timeline(clock, 10);
    timeline.reconciled(record("a", { began: 1_000 }));
    timeline.reconciled(record("b", { outcome: { kind: "failure", error: new Error("no") } }));
    timeline.reconciled(record("a", { outcome: { kind: "success", requeueAfter: 5 } }));
    timeline.reconciled(record("a", { controller: "other" }));
    expect(timeline.records().map(({ key }) => key)).toEqual(["a", "a", "b", "a"]);
    expect(timeline.records({ controller: "box", key: "a" })).toMatchObject([
      { requeueAfter: 5 },
      { began: "2026-01-01T00:00:01.000Z", outcome: "success", reasons: ["Box changed"] },
    ]);
    expect(timeline.records({ key: "b" })).toMatchObject([{ outcome: "failure", error: "no" }]);
    expect(timeline.records({ limit: 1 })).toHaveLength(1);
  });

  test("does not let reconciles without effect push out those with one", () => {
    const timeline = new Timeline(new VirtualClock(), 10);
    const write = {
      verb: "apply",
      kind: "Secret",
      key: "s",
      resourceVersion: "1",
      error: undefined,
      at: 1,
      duration: 2,
    } as const;
    timeline.reconciled(record("wrote", { writes: [write] }));
    for (let index = 0; index < 1_000; index++) timeline.reconciled(record(`${index}`));
    expect(timeline.records({ key: "wrote" })).toMatchObject([{ writes: [write] }]);
    expect(timeline.records()).toHaveLength(11);
  });

  test("asks for reads from caches while somebody watches them, each watcher once", () => {
    const timeline = new Timeline(new VirtualClock(), 10);
    const [one, other] = [timeline.watchReads(), timeline.watchReads()];
    one();
    one();
    expect(timeline.areWatched).toBe(true);
    other();
    expect(timeline.areWatched).toBe(false);
  });

  test("calls back for every reconcile until that is ended, and hands over errors as text", () => {
    const timeline = new Timeline(new VirtualClock(), 10);
    const heard: string[] = [];
    const stop = timeline.onRecord(({ key, error }) =>
      heard.push(error === undefined ? key : `${key}: ${error}`),
    );
    timeline.reconciled(record("a"));
    timeline.reconciled(record("b", { outcome: { kind: "failure", error: new Error("no") } }));
    stop();
    timeline.reconciled(record("c"));
    expect(heard).toEqual(["a", "b: no"]);
  });
});
