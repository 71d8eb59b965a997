// Those who work for one term: each takes a key, reconciles its object, tells the queue what came of it, and takes the next.
import { type KubeObject, withTimeout } from "@kubewright/api";
import { NotLeaderError } from "../manager/fence.js";
import type { WorkItem, WorkQueue } from "../queue/work-queue.js";
import type { Shards } from "../sharding/shards.js";
import type { ReconcileTracing } from "../tracing/reconcile-tracing.js";
import type { Running } from "./activity.js";
import { type LifecycleOptions, passOver } from "./lifecycle.js";
import { failureOf, type Outcome, settle } from "./outcome.js";
import type { ReconcileObserver } from "./reconcile-observer.js";
import { ReconcileRun, type RunScope } from "./reconcile-run.js";
import { Watchdog } from "./watchdog.js";

export interface WorkersOptions {
  readonly scope: RunScope;
  readonly lifecycle: LifecycleOptions;
  /** The object of a key, as cached. */
  readonly objectOf: (key: string) => KubeObject | undefined;
  /** How long a reconcile may take, in milliseconds. */
  readonly timeout: number;
  readonly onError: (where: string, error: unknown) => void;
  readonly observer: ReconcileObserver | undefined;
  readonly tracing: ReconcileTracing | undefined;
  /** Which keys are ours, where several replicas share them. */
  readonly shards: Shards | undefined;
}

const gone: Outcome = { kind: "success", requeueAfter: undefined };
const over = new Error("this reconcile is over: its context can no longer be used");
const statusTimeout = 60_000;

/** Ends reconciles when a manager's patience with them is over. */
export const stopped = new Error("the manager has stopped");

/** Ends reconciles of keys that another replica waits for. */
export const moved = new NotLeaderError("the key has moved to another replica");

export class Workers {
  readonly #options: WorkersOptions;
  readonly #watchdog: Watchdog;
  readonly #runs = new Set<ReconcileRun>();
  /** Keys taken and not given back yet. */
  #inHand = 0;
  #onGivenBack: (() => void) | undefined;

  constructor(options: WorkersOptions) {
    this.#options = options;
    this.#watchdog = new Watchdog(options.scope.clock, options.timeout);
  }

  /** Works on so many keys at once until the queue closes. Nobody stands by: what is allowed and not used costs nothing. */
  async work(queue: WorkQueue, concurrency: number): Promise<void> {
    for (let item = await queue.take(); item; item = await queue.take()) {
      this.#inHand += 1;
      this.#serve(queue, item);
      while (this.#inHand >= concurrency) await this.#givenBack();
    }
    while (this.#inHand > 0) await this.#givenBack();
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

  #givenBack(): Promise<void> {
    return new Promise((resolve) => {
      this.#onGivenBack = resolve;
    });
  }

  /**
   * Gives the key back in the end, whatever happens: not even a logger that throws keeps it. Thousands may wait for their turn
   * in here, and an async function that waits holds half a kilobyte: that is why this is none, nor is what it calls on the way.
   */
  #serve(queue: WorkQueue, item: WorkItem): void {
    let run: ReconcileRun | undefined;
    const end = (outcome: Outcome): void => this.#end(queue, item, run, outcome);
    const fail = (error: unknown): void => end(failureOf(error));
    try {
      run = this.#begin(item);
      if (run) this.#traced(run, item).then(end, fail);
      else end(gone);
    } catch (error) {
      fail(error);
    }
  }

  #end(queue: WorkQueue, { key }: WorkItem, run: ReconcileRun | undefined, outcome: Outcome): void {
    if (run) this.#finish(run);
    settle(queue, key, outcome);
    queue.done(key);
    this.#inHand -= 1;
    this.#onGivenBack?.();
  }

  /** Undefined for what is another replica's, and for what is gone. */
  #begin(item: WorkItem): ReconcileRun | undefined {
    const { scope, objectOf, shards } = this.#options;
    const object = objectOf(item.key);
    if (!object || (shards && !shards.begin(item.key))) return undefined;
    const run = new ReconcileRun(scope, object, item);
    this.#runs.add(run);
    this.#watchdog.begin(run, run.began);
    return run;
  }

  #finish(run: ReconcileRun): void {
    this.#watchdog.finish(run);
    this.#runs.delete(run);
    run.end(over);
    this.#options.shards?.end(run.key);
  }

  #traced(run: ReconcileRun, item: WorkItem): Promise<Outcome> {
    const { scope, tracing } = this.#options;
    if (!tracing?.isOn) return this.#attempt(run, item);
    return tracing.around(scope.controller, scope.resource.kind, run, () => this.#attempt(run, item));
  }

  #observe(run: ReconcileRun, { key, reasons, since }: WorkItem, outcome: Outcome): Outcome {
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
      writes: run.writes,
      events: run.events,
    });
    return outcome;
  }

  /** One reconcile, whatever the author's code does. Rejects only when those who are to hear of it fail. */
  #attempt(run: ReconcileRun, item: WorkItem): Promise<Outcome> {
    const { object } = run;
    return run.orEnd(passOver(run, this.#options.lifecycle)).then(
      (requeueAfter) => this.#observe(run, item, { kind: "success", requeueAfter }),
      async (error: unknown) => this.#observe(run, item, await this.#failed(run, object, error)),
    );
  }

  async #failed(run: ReconcileRun, object: KubeObject, error: unknown): Promise<Outcome> {
    if (error instanceof NotLeaderError || error === stopped) return { kind: "ended" };
    const outcome = failureOf(error, run.dueIn);
    if (outcome.kind === "conflict") run.log.debug("conflict, trying again", { error });
    else await this.#tell(run, object, error);
    return outcome;
  }

  async #tell(run: ReconcileRun, object: KubeObject, error: unknown): Promise<void> {
    const { scope, onError } = this.#options;
    try {
      run.log.error("reconcile failed", { error, reasons: run.reasons });
      onError(`${scope.controller} ${run.what}`, error);
      const what = `${run.what}: telling the failure`;
      await withTimeout(scope.clock, statusTimeout, what, this.#sayInStatus(run, object, error));
    } catch (problem) {
      run.log.warn("the failure could not be told", { error: problem });
    }
  }

  async #sayInStatus(run: ReconcileRun, object: KubeObject, error: unknown): Promise<void> {
    const status = await this.#options.lifecycle.definition.onError?.(error, object);
    if (typeof status === "object" && status !== null) run.status({ ...status });
    await run.writeStatus();
  }
}
