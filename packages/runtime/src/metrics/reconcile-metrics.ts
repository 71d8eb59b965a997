// Results and durations of reconciles, under controller-runtime's names.
import type { Outcome } from "../controller/outcome.js";
import type { ReconcileObserver, ReconcileRecord } from "../controller/reconcile-observer.js";
import { ReconcileTimeoutError } from "../controller/watchdog.js";
import { Counter, type CounterValue } from "./counter.js";
import { exponentialBuckets, Histogram, type HistogramValue } from "./histogram.js";
import type { MetricsRegistry } from "./registry.js";

/** The bounds controller-runtime and client-go use for calls that leave the process. */
export const callBuckets: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5,
  1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

const queueLabels = ["name", "controller"];

export class ReconcileMetrics {
  readonly #total: Counter;
  readonly #errors: Counter;
  readonly #terminal: Counter;
  readonly #panics: Counter;
  readonly #timeouts: Counter;
  readonly #time: Histogram;
  readonly #waiting: Histogram;
  readonly #working: Histogram;

  constructor(registry: MetricsRegistry) {
    const labels = ["controller"];
    const counter = (name: string, help: string, more: readonly string[] = []): Counter =>
      registry.register(new Counter({ name, help, labels: [...labels, ...more] }));
    this.#total = counter("controller_runtime_reconcile_total", "Reconciles by result", ["result"]);
    this.#errors = counter("controller_runtime_reconcile_errors_total", "Reconciles that failed");
    this.#terminal = counter(
      "controller_runtime_terminal_reconcile_errors_total",
      "Reconciles that failed and are not repeated",
    );
    this.#panics = counter(
      "controller_runtime_reconcile_panics_total",
      "Reconciles that failed because of a mistake in the program",
    );
    this.#timeouts = counter(
      "controller_runtime_reconcile_timeouts_total",
      "Reconciles that were ended because they took too long",
    );
    this.#time = registry.register(
      new Histogram({
        name: "controller_runtime_reconcile_time_seconds",
        help: "How long reconciles take",
        labels,
        buckets: callBuckets,
      }),
    );
    const queueTime = (name: string, help: string): Histogram =>
      registry.register(
        new Histogram({ name, help, labels: queueLabels, buckets: exponentialBuckets(1e-8, 10, 12) }),
      );
    this.#waiting = queueTime("workqueue_queue_duration_seconds", "How long keys wait before they are taken");
    this.#working = queueTime("workqueue_work_duration_seconds", "How long keys are being reconciled");
  }

  /** The observer of one controller. */
  observerOf(controller: string): ReconcileObserver {
    const total = (result: string): CounterValue => this.#total.labels(controller, result);
    return new ControllerMetrics({
      success: total("success"),
      requeueAfter: total("requeue_after"),
      requeue: total("requeue"),
      error: total("error"),
      errors: this.#errors.labels(controller),
      terminal: this.#terminal.labels(controller),
      panics: this.#panics.labels(controller),
      timeouts: this.#timeouts.labels(controller),
      time: this.#time.labels(controller),
      waiting: this.#waiting.labels(controller, controller),
      working: this.#working.labels(controller, controller),
    });
  }
}

type Counts =
  | "success"
  | "requeueAfter"
  | "requeue"
  | "error"
  | "errors"
  | "terminal"
  | "panics"
  | "timeouts";
type Values = Readonly<Record<Counts, CounterValue>> &
  Readonly<Record<"time" | "waiting" | "working", HistogramValue>>;

/** Everything is looked up beforehand: this runs after every reconcile. */
class ControllerMetrics implements ReconcileObserver {
  readonly #values: Values;

  constructor(values: Values) {
    this.#values = values;
  }

  reconciled({ outcome, duration, waited }: ReconcileRecord): void {
    // Ended by us, not by what it did.
    if (outcome.kind === "ended") return;
    const { time, waiting, working } = this.#values;
    const seconds = duration / 1000;
    time.observe(seconds);
    working.observe(seconds);
    waiting.observe(waited / 1000);
    this.#count(outcome);
  }

  #count(outcome: Exclude<Outcome, { kind: "ended" }>): void {
    const { success, requeueAfter, requeue, error, errors, terminal, panics, timeouts } = this.#values;
    if (!("error" in outcome)) (outcome.requeueAfter === undefined ? success : requeueAfter).inc();
    else if (outcome.kind === "conflict") requeue.inc();
    else {
      error.inc();
      errors.inc();
      if (outcome.kind === "terminal") terminal.inc();
      else if (outcome.error instanceof ReconcileTimeoutError) timeouts.inc();
      else if (isMistake(outcome.error)) panics.inc();
    }
  }
}

/** A programming error: the nearest thing JavaScript has to a panic. `fetch` wraps failed connections in one. */
function isMistake(error: unknown): boolean {
  const isOfKind =
    error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError;
  return isOfKind && error.cause === undefined;
}
