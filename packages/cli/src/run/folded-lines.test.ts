import { VirtualClock } from "@kubewright/api";
import type { ReconcileRecord } from "@kubewright/runtime";
import { expect, test } from "vitest";
import { FoldedLines } from "./folded-lines.js";
import { ReconcileLines } from "./reconcile-lines.js";

function printing() {
  const printed: string[] = [];
  const clock = new VirtualClock();
  return { printed, clock, lines: new FoldedLines(clock, (line) => printed.push(line)) };
}

const record: ReconcileRecord = {
  controller: "order",
  key: "default/web",
  reasons: ["Order changed"],
  outcome: { kind: "success", requeueAfter: undefined },
  began: 0,
  duration: 12.4,
  waited: 0,
  reconcileID: undefined,
  reads: [],
  writes: [
    {
      verb: "apply",
      kind: "Deployment",
      key: "default/web",
      resourceVersion: "1",
      error: undefined,
      at: 0,
      duration: 1,
    },
    {
      verb: "apply",
      kind: "Service",
      key: "default/web",
      resourceVersion: "2",
      error: undefined,
      at: 0,
      duration: 1,
    },
    {
      verb: "status",
      kind: "Order",
      key: "default/web",
      resourceVersion: "3",
      error: undefined,
      at: 0,
      duration: 1,
    },
  ],
  events: [],
};

test("dev: a reconcile that wrote is one line with why, what and how long; one that did not is none", () => {
  const { printed, lines } = printing();
  const observer = new ReconcileLines(lines, new Map([["order", "Order"]]));
  observer.reconciled(record);
  observer.reconciled({ ...record, writes: [] });
  expect(printed).toEqual([
    "Order default/web: Order changed → apply Deployment web, Service web; status (12 ms)",
  ]);
});

test("dev: lines that say the same are counted instead of repeated, whatever their time and duration", async () => {
  const { printed, clock, lines } = printing();
  const observer = new ReconcileLines(lines, new Map());
  for (let round = 0; round < 4; round++) observer.reconciled({ ...record, duration: round });
  lines.print("other");
  expect(printed.slice(1)).toEqual(["  … 3 more like this", "other"]);
  lines.print("other");
  await clock.advance(2_000);
  expect(printed.slice(3)).toEqual(["  … 1 more like this"]);
});
