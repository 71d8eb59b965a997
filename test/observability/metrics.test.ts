// What dashboards and alerts made for controller-runtime see of a manager.
import { ConfigMap, TerminalError } from "@kubewright/api";
import {
  Counter,
  collected,
  defineController,
  generationChanged,
  MetricsRegistry,
} from "@kubewright/runtime";
import { expect, test } from "vitest";
import { Box, boxNamed, copiesOf, Harness, namespace } from "../runtime-controllers/harness.js";

/** The samples of a text, by name and labels. */
function parse(text: string): ReadonlyMap<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const gap = line.lastIndexOf(" ");
      return [line.slice(0, gap), Number(line.slice(gap + 1))];
    }),
  );
}

const fates: Readonly<Record<string, () => void | { requeueAfter: number }>> = {
  good: () => undefined,
  later: () => ({ requeueAfter: 60_000 }),
  bad: () => {
    throw new Error("bad");
  },
  hopeless: () => {
    throw new TerminalError("hopeless");
  },
  mistaken: () => {
    throw new TypeError("undefined is not a function");
  },
};

const controller = defineController(Box, {
  owns: [ConfigMap],
  // The report of a failure in the status is no reason to reconcile again.
  when: generationChanged,
  concurrency: 2,
  backoff: { base: 3_600_000, max: 3_600_000 },
  async reconcile(box, ctx) {
    for (const copy of copiesOf(box)) await ctx.apply(ConfigMap, copy);
    await ctx.sleep(2_000);
    return fates[box.spec.text]?.();
  },
});

test("reconciles, queues, caches and leadership are told under the names dashboards know", async () => {
  await using harness = await Harness.start();
  for (const text of Object.keys(fates))
    await harness.client.create(Box, boxNamed(text, { text, copies: 0 }));
  const manager = await harness.manage([controller], {
    namespace,
    manager: { leaderElection: { leaseName: "test-lease" } },
  });
  await harness.clock.advance(1_000);
  const during = parse(manager.metrics.format());
  expect(during.get('controller_runtime_active_workers{controller="box"}')).toBe(2);
  expect(during.get('workqueue_depth{name="box",controller="box",priority="-100"}')).toBe(3);
  expect(during.get('workqueue_unfinished_work_seconds{name="box",controller="box"}')).toBe(2);
  expect(during.get('workqueue_longest_running_processor_seconds{name="box",controller="box"}')).toBe(1);
  await harness.clock.advance(10_000);
  const after = parse(manager.metrics.format());
  const box = (name: string, more = ""): number | undefined =>
    after.get(`controller_runtime_${name}{controller="box"${more}}`);
  expect(box("reconcile_total", ',result="success"')).toBe(1);
  expect(box("reconcile_total", ',result="requeue_after"')).toBe(1);
  expect(box("reconcile_total", ',result="error"')).toBe(3);
  expect(box("reconcile_errors_total")).toBe(3);
  expect(box("terminal_reconcile_errors_total")).toBe(1);
  expect(box("reconcile_panics_total")).toBe(1);
  expect(box("reconcile_time_seconds_bucket", ',le="1.75"')).toBe(0);
  expect(box("reconcile_time_seconds_bucket", ',le="2"')).toBe(5);
  expect(box("max_concurrent_reconciles")).toBe(2);
  expect(box("active_workers")).toBe(0);
  const queue = (name: string): number | undefined =>
    after.get(`workqueue_${name}{name="box",controller="box"}`);
  expect(queue("adds_total")).toBe(5);
  expect(queue("retries_total")).toBe(2);
  // Two at once, two seconds each: none, none, two, two and four seconds.
  expect(queue("queue_duration_seconds_sum")).toBe(8);
  expect(queue("work_duration_seconds_count")).toBe(5);
  expect(after.get('kubewright_workqueue_delayed{name="box",controller="box"}')).toBe(3);
  expect(after.get('leader_election_master_status{name="test-lease"}')).toBe(1);
  expect(after.get('kubewright_cache_objects{resource="boxes.example.com"}')).toBe(5);
  expect(after.get('kubewright_reflector_watches{resource="configmaps",phase="watching"}')).toBe(1);
  expect(after.get("process_resident_memory_bytes")).toBeGreaterThan(1e6);
});

test("an author's metrics stand beside the manager's, and two managers share nothing", async () => {
  await using harness = await Harness.start();
  await harness.client.create(Box, boxNamed("a", { text: "good" }));
  const seen = new Counter({ name: "boxes_seen_total", help: "Boxes seen" });
  const quiet = defineController(Box, { name: "quiet", reconcile: () => seen.inc() });
  const one = await harness.manage([quiet], { manager: { metrics: [seen] } });
  const registry = new MetricsRegistry();
  registry.register(collected({ name: "answer", help: "To everything" }, "gauge", () => [{ value: 42 }]));
  const other = await harness.manage([defineController(Box, { name: "other", reconcile: () => undefined })], {
    metrics: { registry },
  });
  await harness.settle();
  expect(parse(one.metrics.format()).get("boxes_seen_total")).toBe(1);
  expect(other.metrics).toBe(registry);
  expect(registry.format()).toContain("answer 42");
  expect(registry.format()).not.toContain("quiet");
  expect(one.metrics.format()).not.toContain("answer 42");
});
