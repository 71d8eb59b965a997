import { VirtualClock } from "@kubewright/api";
import { expect, test } from "vitest";
import type { ReconcileRecord } from "../controller/reconcile-observer.js";
import { jsonLogger } from "../logging/logger.js";
import { ReconcileLog } from "./reconcile-log.js";

const record: ReconcileRecord = {
  controller: "modelbox",
  key: "shop/web",
  reasons: ["ModelBox changed"],
  outcome: { kind: "success", requeueAfter: undefined },
  began: 0,
  duration: 12.4,
  waited: 0,
  reconcileID: undefined,
  writes: [
    {
      verb: "apply",
      kind: "Deployment",
      key: "shop/web",
      resourceVersion: "1",
      error: undefined,
      at: 0,
      duration: 1,
    },
  ],
  reads: [],
  events: [],
};

test.each([
  ["debug", 2],
  ["info", 0],
] as const)("log level %s: %i of two reconciles are logged", (level, count) => {
  const lines: string[] = [];
  const clock = new VirtualClock();
  const log = new ReconcileLog(jsonLogger({ clock, level, write: (line) => lines.push(line) }));
  log.reconciled(record);
  log.reconciled({ ...record, writes: [] });
  expect(lines).toHaveLength(count);
  for (const line of lines.slice(0, 1))
    expect(JSON.parse(line)).toMatchObject({
      msg: "reconciled",
      controller: "modelbox",
      object: "shop/web",
      reasons: ["ModelBox changed"],
      writes: ["apply Deployment shop/web"],
      milliseconds: 12,
    });
});
