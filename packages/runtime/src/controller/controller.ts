// A running controller: changes in, keys through the queue, reconcile, results out.
import { type Clock, type KubeObject, TimeoutError } from "@kubewright/api";
import type { CachedClient } from "../informer/cached-client.js";
import type { InformerPool } from "../informer/informer-pool.js";
import { type Fence, NotLeaderError } from "../manager/fence.js";
import type { Logger } from "../manager/logger.js";
import { byNamespace, type WorkItem, WorkQueue } from "../queue/work-queue.js";
import { Applier } from "./apply/applier.js";
import { ControllerCaches } from "./caches.js";
import { DeclaredKinds } from "./declared-kinds.js";
import type { ControllerDefinition } from "./define-controller.js";
import type { EventRecorder } from "./events/event-recorder.js";
import { startFeed } from "./feed.js";
import { Finalizer } from "./finalizer.js";
import { type LifecycleOptions, passOver } from "./lifecycle.js";
import { failureOf, type Outcome, settle } from "./outcome.js";
import { ReconcileRun, type RunScope } from "./reconcile-run.js";
import { StatusWriter } from "./status/status-writer.js";
import { Watchdog } from "./watchdog.js";

/** What a controller gets from its manager. */
export interface ControllerEnvironment {
  readonly client: CachedClient;
  readonly pool: InformerPool;
  readonly clock: Clock;
  readonly random: () => number;
  readonly newId: () => string;
  readonly log: Logger;
  readonly fieldManager: string;
  readonly events: EventRecorder;
  readonly onError: (where: string, error: unknown) => void;
}

/** One time of being allowed to work. */
export interface Term {
  readonly fence: Fence;
  /** Takes no more keys; those in hand are finished. */
  readonly stop: AbortSignal;
  /** Ends those in hand too. */
  readonly abort: AbortSignal;
}

const minute = 60_000;

export class Controller {
  readonly name: string;
  readonly #definition: ControllerDefinition;
  readonly #environment: ControllerEnvironment;
  readonly #caches: ControllerCaches;
  readonly #scope: Omit<RunScope, "fence">;
  readonly #lifecycle: LifecycleOptions;
  readonly #runs = new Set<ReconcileRun>();
  /** Filled before there is a term, when the controller warms up. */
  #warm: { readonly queue: WorkQueue; readonly stop: () => Promise<void> } | undefined;

  /** Opens its caches; nothing is reconciled before `work`. */
  constructor(definition: ControllerDefinition, environment: ControllerEnvironment) {
    const { name, resource, finalizer } = definition;
    const { client, clock, random, fieldManager } = environment;
    this.name = name;
    this.#definition = definition;
    this.#environment = environment;
    this.#caches = new ControllerCaches(definition, environment.pool);
    const statusWriter = new StatusWriter({ client, clock, resource, fieldManager });
    this.#scope = {
      ...environment,
      controller: name,
      resource,
      log: environment.log.with({ controller: name }),
      kinds: new DeclaredKinds(definition, (kind) => this.#caches.of(kind)),
      applier: new Applier({ client, clock, random, fieldManager }),
      statusWriter,
    };
    this.#lifecycle = {
      definition,
      finalizer: finalizer ? new Finalizer({ client, resource, fieldManager, name: finalizer }) : undefined,
      shape: () => statusWriter.shape,
      now: () => clock.monotonic(),
    };
  }

  /** Resolves when its caches are filled, or when that takes too long: what keeps them from it is then reported. */
  async prepared(signal: AbortSignal): Promise<void> {
    const { clock, onError } = this.#environment;
    const timeout = this.#definition.cacheSyncTimeout ?? 2 * minute;
    const isFilled = await this.#caches.filledWithin(clock, timeout, signal);
    if (!isFilled && !signal.aborted)
      onError(this.name, new TimeoutError(this.#caches.describeDelay(timeout)));
  }

  /** Collects what there is to do, without doing it. */
  warmUp(): void {
    this.#warm ??= this.#startQueue();
  }

  /** Works for one term, once its caches are filled. Resolves when it is over and no reconcile is running. */
  async work(term: Term): Promise<void> {
    if (!(await this.#caches.filled(term.stop))) return;
    const { queue, stop } = this.#warm ?? this.#startQueue();
    this.#warm = undefined;
    const watchdog = new Watchdog(this.#environment.clock, this.#definition.timeout ?? 10 * minute);
    const endAll = (): void => {
      for (const run of this.#runs) run.end(asError(term.abort.reason));
    };
    const closeQueue = (): void => queue.close();
    term.stop.addEventListener("abort", closeQueue, { once: true });
    term.abort.addEventListener("abort", endAll, { once: true });
    if (term.stop.aborted) closeQueue();
    const scope = { ...this.#scope, fence: term.fence };
    const concurrency = this.#definition.concurrency ?? 1;
    await Promise.all(Array.from({ length: concurrency }, () => this.#serve(queue, scope, watchdog)));
    term.stop.removeEventListener("abort", closeQueue);
    term.abort.removeEventListener("abort", endAll);
    watchdog.close();
    await stop();
  }

  /** Gives its caches back. */
  async close(): Promise<void> {
    this.#warm?.queue.close();
    await this.#warm?.stop();
    await this.#caches.release();
  }

  #startQueue(): { queue: WorkQueue; stop: () => Promise<void> } {
    const { clock, random, onError } = this.#environment;
    const { backoff, fairBetweenNamespaces } = this.#definition;
    const fairBy = fairBetweenNamespaces ? byNamespace : undefined;
    const queue = new WorkQueue({ clock, random, backoff, fairBy });
    const report = (where: string, error: unknown): void => onError(`${this.name} ${where}`, error);
    const feed = { definition: this.#definition, caches: this.#caches, queue, clock, onError: report };
    return { queue, stop: startFeed(feed) };
  }

  /** One worker: takes keys until the queue closes. */
  async #serve(queue: WorkQueue, scope: RunScope, watchdog: Watchdog): Promise<void> {
    for (let item = await queue.take(); item; item = await queue.take()) {
      settle(queue, item.key, await this.#attempt(item, scope, watchdog));
      queue.done(item.key);
    }
  }

  /** One reconcile. Whatever the author's code does, this resolves, unless it may run for ever. */
  async #attempt(item: WorkItem, scope: RunScope, watchdog: Watchdog): Promise<Outcome> {
    const object = this.#caches.main.store.get(item.key);
    if (!object) return gone;
    const run = new ReconcileRun(scope, object, item);
    this.#runs.add(run);
    watchdog.begin(run);
    try {
      return { kind: "success", requeueAfter: await run.orEnd(passOver(run, this.#lifecycle)) };
    } catch (error) {
      return await this.#failed(run, object, error);
    } finally {
      watchdog.finish(run);
      this.#runs.delete(run);
      run.end(over);
    }
  }

  async #failed(run: ReconcileRun, object: KubeObject, error: unknown): Promise<Outcome> {
    if (error instanceof NotLeaderError || error === stopped) return { kind: "ended" };
    const outcome = failureOf(error);
    if (outcome.kind === "conflict") {
      run.log.debug("conflict, trying again", { error });
      return outcome;
    }
    this.#environment.onError(`${this.name} ${run.what}`, error);
    run.log.error("reconcile failed", { error, reasons: run.reasons });
    await this.#sayFailure(run, object, error).catch((problem: unknown) =>
      run.log.warn("the failure could not be written to the status", { error: problem }),
    );
    return outcome;
  }

  async #sayFailure(run: ReconcileRun, object: KubeObject, error: unknown): Promise<void> {
    const status = await this.#definition.onError?.(error, object);
    if (typeof status === "object" && status !== null) run.status({ ...status });
    await run.writeStatus();
  }
}

const gone: Outcome = { kind: "success", requeueAfter: undefined };
const over = new Error("this reconcile is over: its context can no longer be used");

/** Ends reconciles when a manager's patience with them is over. */
export const stopped = new Error("the manager has stopped");

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : stopped;
}
