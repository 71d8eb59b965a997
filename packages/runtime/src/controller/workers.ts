// The workers of one term: each takes a key, reconciles its object, reports the outcome to the queue, and takes the next.
import type { KubeObject } from "@kubewright/api";
import { NotLeaderError } from "../leadership/fence.js";
import { withoutSecretContents } from "../logging/secret-contents.js";
import type { WorkItem, WorkQueue } from "../queue/work-queue.js";
import type { Shards } from "../sharding/shards.js";
import type { Running } from "./activity.js";
import { FailureReporter } from "./failure-reporter.js";
import { type LifecycleOptions, reconcileOnce } from "./lifecycle.js";
import { failureOf, type Outcome, settle } from "./outcome.js";
import type { ReconcileObserver } from "./reconcile-observer.js";
import { ReconcileRun, type RunScope } from "./reconcile-run.js";
import type { ReconcileTracer } from "./reconcile-tracer.js";
import type { Run } from "./run.js";
import { Watchdog } from "./watchdog.js";

export interface WorkersOptions {
  readonly scope: RunScope;
  readonly lifecycle: LifecycleOptions;
  /** The object of a key, as cached. */
  readonly objectOf: (key: string) => KubeObject | undefined;
  /** The timeout of a reconcile, in milliseconds. */
  readonly timeout: number;
  readonly onError: (where: string, error: unknown) => void;
  readonly observer: ReconcileObserver | undefined;
  readonly tracing: ReconcileTracer | undefined;
  /** The keys of this replica, where several replicas share them. */
  readonly shards: Shards | undefined;
}

const gone: Outcome = { kind: "success", requeueAfter: undefined };
const over = new Error("this reconcile is over: its context can no longer be used");

/** Ends reconciles when the time a manager allows them at its stop is over. */
export const stopped = new Error("the manager has stopped");

/** Ends reconciles of keys that another replica waits for. */
export const moved = new NotLeaderError("the key has moved to another replica");

export class Workers {
  readonly #options: WorkersOptions;
  readonly #watchdog: Watchdog;
  readonly #runs = new Set<Run>();
  readonly #reporter: FailureReporter;
  #queue: WorkQueue | undefined;
  /** Keys taken and not given back yet, and reports under way. */
  #inFlight = 0;
  #onDone: (() => void) | undefined;

  constructor(options: WorkersOptions) {
    this.#options = options;
    this.#watchdog = new Watchdog(options.scope.clock, options.timeout);
    this.#reporter = new FailureReporter({
      ...options,
      onLasting: (key, error) => this.#track(this.#reportLasting(key, error)),
    });
  }

  /** Works on so many keys at once until the queue closes. */
  async work(queue: WorkQueue, concurrency: number): Promise<void> {
    this.#queue = queue;
    for (let item = await queue.take(); item; item = await queue.take()) {
      this.#track(this.#serve(queue, item));
      while (this.#inFlight >= concurrency) await this.#oneDone();
    }
    this.#reporter.close();
    while (this.#inFlight > 0) await this.#oneDone();
    this.#watchdog.close();
  }

  /** Ends reconciles under way: all, or those of some keys. */
  end(reason: unknown, isMeant: (key: string) => boolean = () => true): void {
    for (const run of this.#runs) if (isMeant(run.key)) run.end(reason instanceof Error ? reason : stopped);
  }

  /** Reconciles under way. */
  get running(): ReadonlySet<Running> {
    return this.#runs;
  }

  #track(work: Promise<void>): void {
    this.#inFlight += 1;
    work.then(
      () => this.#done(),
      () => this.#done(),
    );
  }

  #oneDone(): Promise<void> {
    return new Promise((resolve) => {
      this.#onDone = resolve;
    });
  }

  #done(): void {
    this.#inFlight -= 1;
    this.#onDone?.();
  }

  /** Gives the key back in the end, whatever happens: not even a logger that throws keeps it. */
  async #serve(queue: WorkQueue, item: WorkItem): Promise<void> {
    const reconcile = this.#begin(item);
    let outcome = gone;
    try {
      if (reconcile) outcome = await this.#traced(reconcile, item);
    } catch (error) {
      outcome = failureOf(error);
    } finally {
      if (reconcile) this.#finish(reconcile.run);
      settle(queue, item.key, outcome);
      queue.done(item.key);
    }
  }

  /** Undefined for a key that belongs to another replica, for an object that is gone, and when this replica may no longer work. */
  #begin(item: WorkItem): ReconcileRun | undefined {
    const { scope, objectOf, shards } = this.#options;
    const object = objectOf(item.key);
    if (!object) this.#reporter.forget(item.key);
    if (!object || !scope.fence.isOpen || (shards && !shards.begin(item.key))) return undefined;
    const reconcile = new ReconcileRun(scope, object, item);
    this.#runs.add(reconcile.run);
    this.#watchdog.begin(reconcile.run, reconcile.run.began);
    return reconcile;
  }

  #finish(run: Run): void {
    this.#watchdog.finish(run);
    this.#runs.delete(run);
    run.end(over);
    this.#options.shards?.end(run.key);
  }

  #traced(reconcile: ReconcileRun, item: WorkItem): Promise<Outcome> {
    const { scope, tracing } = this.#options;
    if (!tracing?.isOn) return this.#attempt(reconcile, item);
    return tracing.around(scope.controller, scope.resource.kind, reconcile.run, () =>
      this.#attempt(reconcile, item),
    );
  }

  #observe(run: Run, { key, reasons, since }: WorkItem, outcome: Outcome): void {
    const { scope, observer } = this.#options;
    observer?.reconciled({
      controller: scope.controller,
      key,
      reasons,
      outcome,
      began: run.began,
      duration: scope.clock.monotonic() - run.began,
      waited: run.began - since,
      reconcileID: run.knownID,
      reads: run.reads,
      writes: run.writes,
      events: run.events,
    });
  }

  /** One reconcile, whatever the author's code does. Rejects only when its observers fail. */
  async #attempt(reconcile: ReconcileRun, item: WorkItem): Promise<Outcome> {
    const { run } = reconcile;
    const { object } = run;
    let outcome: Outcome;
    try {
      const requeueAfter = await run.orEnd(reconcileOnce(reconcile, this.#options.lifecycle));
      outcome = { kind: "success", requeueAfter };
      this.#reporter.forget(run.key);
    } catch (error) {
      outcome = await this.#failed(reconcile, object, error);
    }
    this.#observe(run, item, outcome);
    return outcome;
  }

  async #failed(reconcile: ReconcileRun, object: KubeObject, error: unknown): Promise<Outcome> {
    if (error instanceof NotLeaderError || error === stopped) return { kind: "ended" };
    const failure = failureOf(error, reconcile.dueIn);
    const outcome = "error" in failure ? { ...failure, error: withoutSecretContents(error) } : failure;
    const { log } = reconcile.run;
    if (outcome.kind === "conflict") log.debug("conflict, trying again", { error });
    else if (outcome.kind === "terminating") log.debug("the namespace is being deleted", { error });
    else await this.#reporter.failed(reconcile, object, withoutSecretContents(error));
    return outcome;
  }

  /** Reports a failure that no further attempt has done away with in time. */
  async #reportLasting(key: string, error: unknown): Promise<void> {
    const isInFlight = [...this.#runs].some((run) => run.key === key);
    const since = this.#options.scope.clock.monotonic();
    const reconcile = this.#begin({ key, reasons: [], since });
    if (!reconcile) return;
    const { run } = reconcile;
    try {
      await this.#reporter.report(reconcile, run.object, error);
    } finally {
      this.#finish(run);
      // An attempt under way has not seen the condition: only the next one can clear it.
      if (isInFlight) this.#queue?.add(key, { reason: "its failure was reported" });
    }
  }
}
