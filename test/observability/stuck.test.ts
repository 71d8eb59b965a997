// A reconcile that never returns, as it is seen from outside: while it hangs, and when its time is up.
import { CustomResourceDefinition } from "@kubewright/api";
import { startCluster } from "@kubewright/cluster";
import { createLogger, defineController, defineManager, startManager } from "@kubewright/runtime";
import { expect, test, vi } from "vitest";
import { Box, boxNamed } from "../runtime-controllers/harness.js";

const key = "default/stuck";

test("a stuck reconcile is to be seen in metrics, queue, timeline, log and health", async () => {
  await using cluster = await startCluster({ nodes: 0, controllers: "none" });
  const { client } = cluster;
  await client.create(CustomResourceDefinition, Box.crd());
  await vi.waitFor(() => client.create(Box, boxNamed("stuck")));
  const signals: AbortSignal[] = [];
  const controller = defineController(Box, {
    timeout: 2_000,
    backoff: { base: 3_600_000, max: 3_600_000 },
    async reconcile(_box, ctx) {
      signals.push(ctx.signal);
      await new Promise(() => undefined);
    },
  });
  const logs: { readonly level: string; readonly message: string; readonly fields: object }[] = [];
  await using manager = await startManager(defineManager({ name: "test", controllers: [controller] }), {
    client,
    preflight: "off",
    health: { port: 0 },
    log: createLogger((level, message, fields) => logs.push({ level, message, fields })),
  });
  const sample = (name: string): number => {
    const line = manager.metrics.format().match(new RegExp(`^${name}\\{[^}]*\\} (.*)$`, "m"));
    return Number(line?.[1]);
  };

  await vi.waitFor(() => expect(signals).toHaveLength(1));
  expect(sample("controller_runtime_active_workers")).toBe(1);
  await vi.waitFor(() => expect(sample("workqueue_longest_running_processor_seconds")).toBeGreaterThan(0.05));
  expect(manager.timeline.queues()).toMatchObject([{ running: 1, keys: [{ key, state: "in flight" }] }]);
  expect(manager.timeline.records()).toEqual([]);

  await vi.waitFor(() => expect(sample("controller_runtime_reconcile_timeouts_total")).toBe(1), 10_000);
  expect(signals[0]?.aborted).toBe(true);
  expect(sample("controller_runtime_reconcile_errors_total")).toBe(1);
  expect(sample("controller_runtime_active_workers")).toBe(0);
  const message = "Box default/stuck: reconcile took longer than 2000 ms";
  const [record] = manager.timeline.records({ key });
  expect(record).toMatchObject({ outcome: "failure", error: message, reconcileID: expect.any(String) });
  expect(logs.filter(({ level }) => level === "error")).toMatchObject([
    {
      message: "reconcile failed",
      fields: {
        name: "stuck",
        reconcileID: record?.reconcileID,
        error: expect.objectContaining({ message }),
      },
    },
  ]);
  expect(manager.timeline.queues()).toMatchObject([{ running: 0, keys: [{ key, state: "delayed" }] }]);
  // It was dealt with: that is no reason to restart the process.
  expect((await fetch(`${manager.addresses.health}/healthz/workers`)).status).toBe(200);
});
