import { VirtualClock } from "@kubewright/api";
import { expect, test } from "vitest";
import { WorkQueue } from "./work-queue.js";

test("a work queue reports the state of each key, and counts", async () => {
  const clock = new VirtualClock();
  const tally = { adds: 0, retries: 0 };
  const queue = new WorkQueue({ clock, random: () => 0, tally });
  queue.add("failing", { reason: "changed" });
  await queue.take();
  queue.retry("failing");
  queue.done("failing");
  queue.addAfter("later", 60_000);
  queue.add("in flight");
  expect(await queue.take()).toMatchObject({ key: "in flight", since: 0 });
  queue.add("waiting", { reason: "added" });
  queue.add("waiting", { reason: "changed" });
  expect(queue.snapshot(10)).toMatchObject([
    { key: "in flight", state: "in flight", since: 0 },
    { key: "waiting", state: "waiting", reasons: ["added", "changed"], priority: "fresh" },
    { key: "failing", state: "delayed", due: 5, failures: 1, reasons: ["changed"] },
    { key: "later", state: "delayed", due: 60_000, failures: 0, since: undefined },
  ]);
  expect(queue.snapshot(1)).toHaveLength(1);
  expect(queue.look("later")?.due).toBe(60_000);
  expect(queue.look("unknown")).toBeUndefined();
  expect(tally).toEqual({ adds: 3, retries: 1 });
  queue.close();
});
