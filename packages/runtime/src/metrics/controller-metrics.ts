// The current state of controllers and their work queues, read at each scrape.
import type { Clock } from "@kubewright/api";
import type { ControllerActivity } from "../controller/activity.js";
import { collected, type MetricFamily } from "./metric-family.js";

/** Priorities as controller-runtime numbers them. */
const freshPriority = "0";
const backgroundPriority = "-100";

type Row = { readonly labels: readonly string[]; readonly value: number };

/** The metrics of the controllers there are at the time. */
export function controllerMetrics(
  controllers: () => Iterable<ControllerActivity>,
  clock: Clock,
): readonly MetricFamily[] {
  const each = (rows: (controller: ControllerActivity) => Iterable<Row>) =>
    function* (): Iterable<Row> {
      for (const controller of controllers()) yield* rows(controller);
    };
  const ofController = (name: string, help: string, value: (controller: ControllerActivity) => number) =>
    collected(
      { name, help, labels: ["controller"] },
      "gauge",
      each((controller) => [{ labels: [controller.name], value: value(controller) }]),
    );
  const ofQueue = (
    type: "counter" | "gauge",
    name: string,
    help: string,
    value: (controller: ControllerActivity) => number,
  ) =>
    collected(
      { name, help, labels: ["name", "controller"] },
      type,
      each((controller) => [{ labels: [controller.name, controller.name], value: value(controller) }]),
    );
  return [
    ofController(
      "controller_runtime_max_concurrent_reconciles",
      "Keys a controller may work on at once",
      ({ concurrency }) => concurrency,
    ),
    ofController(
      "controller_runtime_active_workers",
      "Reconciles under way",
      ({ running }) => [...running].length,
    ),
    collected(
      { name: "workqueue_depth", help: "Keys that wait", labels: ["name", "controller", "priority"] },
      "gauge",
      each(depths),
    ),
    ofQueue("counter", "workqueue_adds_total", "Keys added", ({ tally }) => tally.adds),
    ofQueue(
      "counter",
      "workqueue_retries_total",
      "Keys that came back with a backoff",
      ({ tally }) => tally.retries,
    ),
    ofQueue(
      "gauge",
      "workqueue_unfinished_work_seconds",
      "How long all reconciles under way have taken so far",
      (controller) => ages(controller, clock).reduce((sum, age) => sum + age, 0),
    ),
    ofQueue(
      "gauge",
      "workqueue_longest_running_processor_seconds",
      "How long the longest reconcile under way has taken so far",
      (controller) => Math.max(0, ...ages(controller, clock)),
    ),
    ofQueue(
      "gauge",
      "kubewright_workqueue_delayed",
      "Keys that are due later",
      ({ queue }) => queue?.depth.delayed ?? 0,
    ),
  ];
}

function depths({ name, queue }: ControllerActivity): readonly Row[] {
  const { fresh, background } = queue?.depth ?? { fresh: 0, background: 0 };
  return [
    { labels: [name, name, freshPriority], value: fresh },
    { labels: [name, name, backgroundPriority], value: background },
  ];
}

function ages({ running }: ControllerActivity, clock: Clock): readonly number[] {
  const now = clock.monotonic();
  return [...running].map(({ began }) => (now - began) / 1000);
}
