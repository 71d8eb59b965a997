// A running manager: shared caches, controllers on top, started and stopped in order.
//
// Start: permissions are checked, caches are filled, controllers that warm up collect their work, leadership is campaigned
// for, and whoever leads works. Stop, the other way round: no more keys are taken, those in hand are finished or, when the
// time is up, ended; the lease is given back; caches are closed.
import { randomUUID } from "node:crypto";
import { type Clock, sleep, systemClock } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import { Controller, stopped, type Term } from "../controller/controller.js";
import type { ControllerDefinition } from "../controller/define-controller.js";
import { EventRecorder } from "../controller/events/event-recorder.js";
import { CachedClient } from "../informer/cached-client.js";
import { InformerPool } from "../informer/informer-pool.js";
import type { ManagerDefinition } from "./define-manager.js";
import { openFence } from "./fence.js";
import { LeaderElector, type Leadership } from "./leader-election.js";
import { type Logger, silentLogger } from "./logger.js";
import { type AccessNeed, accessNeeds } from "./permissions.js";
import { missingPermissions } from "./preflight.js";

export interface StartOptions {
  readonly client: Client;
  readonly clock?: Clock | undefined;
  readonly log?: Logger | undefined;
  /** Hears what went wrong, besides the log; it is retried either way. */
  readonly onError?: ((where: string, error: unknown) => void) | undefined;
  /** The namespace this process runs in: where its lease is, unless the definition says. */
  readonly namespace?: string | undefined;
  /** Names this replica; unique also after a restart. A random one unless told. */
  readonly identity?: string | undefined;
  /** Turns leader election off, for a process that is alone. */
  readonly leaderElection?: false | undefined;
  /** What to do about missing permissions: refuse to start, only report, or not look. `fail` unless told. */
  readonly preflight?: "fail" | "report" | "off" | undefined;
  /** How long reconciles under way may take when the manager stops, in milliseconds; 30 s unless told. */
  readonly shutdownTimeout?: number | undefined;
  /** Freezes what is cached. For development and tests. */
  readonly freeze?: boolean | undefined;
  readonly random?: (() => number) | undefined;
  readonly newId?: (() => string) | undefined;
}

export interface RunningManager {
  /** True when this replica works: always, without leader election. */
  readonly isLeader: boolean;
  /** Stops everything, in order. Resolves when nothing is left. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a manager; resolves when its caches are filled, or what keeps them from it has been reported. */
export async function startManager(
  definition: ManagerDefinition,
  options: StartOptions,
): Promise<RunningManager> {
  const manager = new Manager(definition, options);
  try {
    await manager.start();
  } catch (error) {
    await manager.close();
    throw error;
  }
  return manager;
}

interface Managed {
  readonly definition: ControllerDefinition;
  readonly controller: Controller;
}

class Manager implements RunningManager {
  readonly #definition: ManagerDefinition;
  readonly #options: StartOptions;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #random: () => number;
  readonly #newId: () => string;
  readonly #identity: string;
  readonly #pool: InformerPool;
  readonly #events: EventRecorder;
  readonly #elector: LeaderElector | undefined;
  #controllers: readonly Managed[] = [];
  readonly #stop = new AbortController();
  readonly #abort = new AbortController();
  #leadership: Leadership | undefined;
  #working: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(definition: ManagerDefinition, options: StartOptions) {
    const {
      client,
      clock = systemClock,
      log = silentLogger,
      random = Math.random,
      newId = randomUUID,
    } = options;
    const { name } = definition;
    this.#definition = definition;
    this.#options = options;
    this.#clock = clock;
    this.#log = log.with({ manager: name });
    this.#random = random;
    this.#newId = newId;
    this.#identity = options.identity ?? `${name}_${newId()}`;
    this.#pool = new InformerPool({
      client,
      clock,
      random,
      fieldManager: name,
      freeze: options.freeze,
      kinds: definition.caches,
      onError: (resource, error) => this.#report(`watch ${resource.kind}`, error),
    });
    this.#events = new EventRecorder({
      client,
      clock,
      random,
      controller: name,
      instance: this.#identity,
      mayWrite: () => this.isLeader || definition.controllers.some(({ everywhere }) => everywhere),
      onError: (error) => this.#report("event", error),
    });
    this.#elector = this.#createElector();
  }

  get isLeader(): boolean {
    return this.#elector ? (this.#leadership?.isOpen ?? false) : true;
  }

  async start(): Promise<void> {
    await this.#checkPermissions();
    this.#controllers = this.#definition.controllers.map((definition) => this.#createController(definition));
    const { signal } = this.#stop;
    const term: Term = { fence: openFence, stop: signal, abort: this.#abort.signal };
    const elector = this.#elector;
    const isElected = ({ definition }: Managed): boolean => elector !== undefined && !definition.everywhere;
    // Each begins when its own caches are filled: one that waits for its kind to be installed holds up no other.
    const free = this.#controllers.filter((managed) => !isElected(managed));
    this.#working = Promise.all(free.map(({ controller }) => controller.work(term)));
    await Promise.all(this.#controllers.map(({ controller }) => controller.prepared(signal)));
    if (elector && !signal.aborted)
      this.#working = Promise.all([
        this.#working,
        this.#campaign(elector, this.#controllers.filter(isElected)),
      ]);
    this.#log.info("started", { identity: this.#identity });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#stop.abort(stopped);
    const patience = new AbortController();
    const deadline = sleep(this.#clock, this.#options.shutdownTimeout ?? 30_000, patience.signal).then(
      () => this.#abort.abort(stopped),
      () => undefined,
    );
    await this.#working;
    patience.abort();
    await deadline;
    await this.#events.flush();
    await this.#leadership?.release();
    await Promise.all(this.#controllers.map(({ controller }) => controller.close()));
    await this.#pool.close();
    this.#log.info("stopped");
  }

  /** Leads, works, and when leadership is lost campaigns again, until the manager stops. */
  async #campaign(elector: LeaderElector, controllers: readonly Managed[]): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      for (const { controller, definition } of controllers) if (definition.warmUp) controller.warmUp();
      const leadership = await elector.acquire(signal).catch(() => undefined);
      if (!leadership) return;
      this.#leadership = leadership;
      this.#log.info("leading", { identity: this.#identity });
      const term: Term = {
        fence: leadership,
        stop: AbortSignal.any([signal, leadership.lost]),
        abort: AbortSignal.any([this.#abort.signal, leadership.lost]),
      };
      await Promise.all(controllers.map(({ controller }) => controller.work(term)));
      if (leadership.lost.aborted) this.#report("leader election", leadership.lost.reason);
    }
  }

  #createElector(): LeaderElector | undefined {
    const { leaderElection = false, name } = this.#definition;
    if (!leaderElection || this.#options.leaderElection === false) return undefined;
    const settings = leaderElection === true ? {} : leaderElection;
    const namespace = settings.namespace ?? this.#options.namespace;
    if (namespace === undefined)
      throw new TypeError(`manager "${name}": leader election needs the namespace of its lease`);
    return new LeaderElector({
      ...settings,
      client: this.#options.client,
      clock: this.#clock,
      random: this.#random,
      leaseName: settings.leaseName ?? name,
      namespace,
      identity: this.#identity,
      onError: (error) => this.#report("leader election", error),
    });
  }

  #createController(definition: ControllerDefinition): Managed {
    const { name, namespaces, concurrency } = this.#definition;
    const { kind, group } = definition.resource;
    const complete = {
      ...definition,
      namespaces: definition.namespaces ?? namespaces,
      concurrency: definition.concurrency ?? concurrency?.[group ? `${kind}.${group}` : kind] ?? 1,
    };
    const controller = new Controller(complete, {
      client: new CachedClient(this.#options.client, this.#pool),
      pool: this.#pool,
      clock: this.#clock,
      random: this.#random,
      newId: this.#newId,
      log: this.#log,
      fieldManager: name,
      events: this.#events,
      onError: (where, error) => this.#options.onError?.(where, error),
    });
    return { definition: complete, controller };
  }

  async #checkPermissions(): Promise<void> {
    const { preflight = "fail", client } = this.#options;
    if (preflight === "off") return;
    const missing = await missingPermissions(client, this.#needs()).catch((error: unknown) => {
      this.#report("permission check", error);
      return [];
    });
    const lines = missing.map((line) => `manager "${this.#definition.name}" ${line}`);
    for (const line of lines) this.#log.error(line);
    if (lines.length === 0) return;
    if (preflight === "fail") throw new Error(lines.join("\n"));
    for (const line of lines) this.#options.onError?.("permission check", new Error(line));
  }

  #needs(): readonly AccessNeed[] {
    const needs = accessNeeds(this.#definition);
    if (!this.#elector) return needs;
    return [...needs, this.#elector.need];
  }

  #report(where: string, error: unknown): void {
    this.#log.error(where, { error });
    this.#options.onError?.(where, error);
  }
}
