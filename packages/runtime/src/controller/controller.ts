// A running controller: changes in, keys through the queue, reconcile, results out.
import { type Clock, TimeoutError } from "@kubewright/api";
import type { CachedClient } from "../informer/cached-client.js";
import type { InformerPool } from "../informer/informer-pool.js";
import type { Fence } from "../leadership/fence.js";
import type { Logger } from "../logging/logger.js";
import { byNamespace, WorkQueue } from "../queue/work-queue.js";
import type { Shards } from "../sharding/shards.js";
import type { ControllerActivity, Running } from "./activity.js";
import { Applier } from "./apply/applier.js";
import { ControllerCaches } from "./caches.js";
import { DeclaredKinds } from "./declared-kinds.js";
import type { ControllerDefinition } from "./define-controller.js";
import { startEventHandlers } from "./event-handlers.js";
import type { EventRecorder } from "./events/event-recorder.js";
import { Finalizer } from "./finalizer.js";
import type { AnyResource } from "./kinds.js";
import type { LifecycleOptions } from "./lifecycle.js";
import type { ReconcileObserver } from "./reconcile-observer.js";
import type { RunScope } from "./reconcile-run.js";
import type { ReconcileTracer } from "./reconcile-tracer.js";
import type { RequestSlots } from "./request-slots.js";
import { StatusWriter } from "./status/status-writer.js";
import { moved, Workers } from "./workers.js";

/** The dependencies of a controller, provided by its manager. */
export interface ControllerEnvironment {
  readonly client: CachedClient;
  readonly pool: InformerPool;
  readonly clock: Clock;
  readonly random: () => number;
  readonly newId: () => string;
  readonly log: Logger;
  readonly fieldManager: string;
  /** Shared by the controllers of a manager. */
  readonly slots: RequestSlots;
  readonly events: EventRecorder;
  readonly onError: (where: string, error: unknown) => void;
  readonly observer: ReconcileObserver | undefined;
  readonly tracing: ReconcileTracer | undefined;
  readonly reads: RunScope["reads"];
}

/** One time of being allowed to work. */
export interface Term {
  readonly fence: Fence;
  /** Takes no more keys; those in flight are finished. */
  readonly stop: AbortSignal;
  /** Ends those in flight too. */
  readonly abort: AbortSignal;
  /** The keys of this replica, where several replicas share them. */
  readonly shards?: Shards | undefined;
}

const minute = 60_000;

/** Objects reconciled at once, where neither the controller nor the manager states a number. */
const defaultConcurrency = 32;

export class Controller implements ControllerActivity {
  readonly name: string;
  readonly resource: AnyResource;
  readonly concurrency: number;
  readonly timeout: number;
  readonly tally = { adds: 0, retries: 0 };
  readonly #definition: ControllerDefinition;
  readonly #environment: ControllerEnvironment;
  readonly #caches: ControllerCaches;
  readonly #scope: Omit<RunScope, "fence">;
  readonly #lifecycle: LifecycleOptions;
  /** Filled before there is a term, when the controller warms up. */
  #warm: { readonly queue: WorkQueue; readonly stop: () => Promise<void> } | undefined;
  /** The parts that run while it is started. */
  #term: { readonly queue: WorkQueue; readonly workers: Workers } | undefined;
  #isPaused = false;

  /** Opens its caches; nothing is reconciled before `work`. */
  constructor(definition: ControllerDefinition, environment: ControllerEnvironment) {
    const { name, resource, finalizer } = definition;
    const { client, clock, random, fieldManager } = environment;
    this.name = name;
    this.resource = resource;
    this.concurrency = definition.concurrency ?? defaultConcurrency;
    this.timeout = definition.timeout ?? 10 * minute;
    this.#definition = definition;
    this.#environment = environment;
    this.#caches = new ControllerCaches(definition, environment.pool);
    const statusWriter =
      definition.writesStatus === false
        ? undefined
        : new StatusWriter({ client, clock, resource, fieldManager });
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
      hasConditions: () => isCustom(resource) && (statusWriter?.shape.hasConditions ?? false),
      now: () => clock.monotonic(),
    };
  }

  get queue(): WorkQueue | undefined {
    return this.#term?.queue ?? this.#warm?.queue;
  }

  get running(): Iterable<Running> {
    return this.#term?.workers.running ?? [];
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  set isPaused(isPaused: boolean) {
    this.#isPaused = isPaused;
    if (this.queue) this.queue.isPaused = isPaused;
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
    const workers = this.#workers(term);
    this.#term = { queue, workers };
    const unsubscribe = term.shards?.subscribe({
      gained: (isGained) => this.#collect(queue, isGained),
      evicted: (isLost) => workers.end(moved, isLost),
    });
    const closeQueue = (): void => queue.close();
    const endWork = (): void => workers.end(term.abort.reason);
    term.stop.addEventListener("abort", closeQueue, { once: true });
    term.abort.addEventListener("abort", endWork, { once: true });
    if (term.stop.aborted) closeQueue();
    await workers.work(queue, this.concurrency);
    unsubscribe?.();
    this.#term = undefined;
    term.stop.removeEventListener("abort", closeQueue);
    term.abort.removeEventListener("abort", endWork);
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
    const queue = new WorkQueue({ clock, random, backoff, fairBy, tally: this.tally });
    queue.isPaused = this.#isPaused;
    const report = (where: string, error: unknown): void => onError(`${this.name} ${where}`, error);
    const { definition, caches } = { definition: this.#definition, caches: this.#caches };
    return { queue, stop: startEventHandlers({ definition, caches, queue, clock, onError: report }) };
  }

  /** Queues what has moved here: others may have dropped it half done. */
  #collect(queue: WorkQueue, isGained: (key: string) => boolean): void {
    const { when } = this.#definition;
    for (const [key, current] of this.#caches.main.store.entries()) {
      if (!isGained(key)) continue;
      const change = { key, previous: undefined, current, initial: true, origin: "list" } as const;
      if (!when || when(change)) queue.add(key, { priority: "background", reason: "moved to this replica" });
    }
  }

  #workers({ fence, shards }: Term): Workers {
    const { onError, observer, tracing } = this.#environment;
    return new Workers({
      scope: { ...this.#scope, fence },
      lifecycle: this.#lifecycle,
      objectOf: (key) => this.#caches.main.store.get(key),
      timeout: this.timeout,
      onError,
      observer,
      tracing,
      shards,
    });
  }
}

/** Conditions of built-in kinds belong to their own controllers, which write the whole list. */
function isCustom(resource: AnyResource): boolean {
  return "schema" in resource;
}
