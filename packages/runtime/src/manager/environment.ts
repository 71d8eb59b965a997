// The dependencies that the controllers of a manager share: caches, client, name, and error reports.
import { randomUUID } from "node:crypto";
import { type Clock, isNotFound, type ResourceDescriptor, systemClock } from "@kubewright/api";
import type { ControllerEnvironment } from "../controller/controller.js";
import { EventRecorder } from "../controller/events/event-recorder.js";
import { defaultMaxInFlight, RequestSlots } from "../controller/request-slots.js";
import { CachedClient } from "../informer/cached-client.js";
import { InformerPool } from "../informer/informer-pool.js";
import { type LeaderElectionOptions, LeaderElector } from "../leadership/leader-election.js";
import { type Logger, silentLogger } from "../logging/logger.js";
import { Sharder } from "../sharding/sharder.js";
import { ReconcileTracing } from "../tracing/reconcile-tracing.js";
import { type ManagerDefinition, shardGroup } from "./define-manager.js";
import { type ManagerState, Observation } from "./observation.js";
import type { StartOptions } from "./start-options.js";

export class ManagerEnvironment {
  readonly clock: Clock;
  readonly log: Logger;
  readonly pool: InformerPool;
  readonly events: EventRecorder;
  readonly observation: Observation;
  readonly #definition: ManagerDefinition;
  readonly #options: StartOptions;
  readonly #random: () => number;
  readonly newId: () => string;
  readonly #identity: string;
  readonly #slots: RequestSlots;
  readonly #tracing: ReconcileTracing | undefined;

  constructor(definition: ManagerDefinition, options: StartOptions, state: ManagerState) {
    const { name, controllers } = definition;
    const { client, clock = systemClock, random = Math.random, newId = randomUUID } = options;
    this.#definition = definition;
    this.#options = options;
    this.#random = random;
    this.newId = newId;
    this.#identity = options.identity ?? `${name}_${newId()}`;
    this.#slots = new RequestSlots(definition.maxInFlight ?? defaultMaxInFlight);
    this.clock = clock;
    this.log = (options.log ?? silentLogger).with({ manager: name });
    this.pool = new InformerPool({
      client,
      clock,
      random,
      fieldManager: name,
      freeze: options.freeze,
      kinds: definition.caches,
      onError: (resource, error) => this.#reportWatch(resource, error),
    });
    const anyEverywhere = controllers.some(({ everywhere }) => everywhere);
    this.events = new EventRecorder({
      client,
      clock,
      random,
      controller: name,
      instance: this.#identity,
      mayWrite: () => anyEverywhere || state.isLeader,
      onError: (error) => this.report("event", error),
    });
    const { tracing } = options;
    if (tracing !== false)
      this.#tracing = new ReconcileTracing(tracing, (error) => this.report("tracing", error));
    this.observation = new Observation({
      definition,
      options,
      state,
      clock,
      log: this.log,
      pool: this.pool,
      leaseName: this.leaseName,
      report: (where, error) => this.report(where, error),
    });
  }

  /** Reports an error that is handled. */
  report(where: string, error: unknown): void {
    this.log.error(where, { error });
    this.#options.onError?.(where, error);
  }

  /** A kind that is not served is no error: it is watched once it is. */
  #reportWatch({ kind, plural, group, version }: ResourceDescriptor, error: unknown): void {
    const name = group === "" ? plural : `${plural}.${group}`;
    if (isNotFound(error))
      this.log.warn(`waiting for ${name}: the cluster does not serve version ${version} of it`, {
        remedy: "install its CustomResourceDefinition (kubewright install, or kubectl apply -k config/crd)",
      });
    else this.log.error("watch failed", { error });
    // The error itself names the verb and the kind.
    this.#options.onError?.(`cache of ${kind}`, error);
  }

  /** Of the lease that is campaigned for; undefined without leader election. */
  get leaseName(): string | undefined {
    const { leaderElection = false, name } = this.#definition;
    if (!leaderElection || this.#options.leaderElection === false) return undefined;
    return (leaderElection === true ? undefined : leaderElection.leaseName) ?? name;
  }

  forController(controller: string): ControllerEnvironment {
    return {
      client: new CachedClient(this.#options.client, this.pool),
      pool: this.pool,
      clock: this.clock,
      random: this.#random,
      newId: this.newId,
      log: this.log,
      fieldManager: this.#definition.name,
      slots: this.#slots,
      events: this.events,
      // Controllers write their own log lines, with the object they are about.
      onError: (where, error) => this.#options.onError?.(where, error),
      observer: this.observation.observerOf(controller),
      tracing: this.#tracing,
      reads: this.observation.reads,
    };
  }

  /** Undefined without sharding. */
  createSharder(): Sharder | undefined {
    const { sharding = false, name } = this.#definition;
    if (!sharding || this.#options.sharding === false) return undefined;
    const settings = sharding === true ? {} : sharding;
    const namespace = settings.namespace ?? this.#options.namespace;
    if (namespace === undefined)
      throw new TypeError(`manager "${name}": sharding needs the namespace of its leases`);
    return new Sharder({
      ...settings,
      client: this.#options.client,
      clock: this.clock,
      random: this.#random,
      newId: this.newId,
      group: shardGroup(this.#definition),
      namespace,
      identity: this.#identity,
      onError: (error) => this.report("sharding", error),
    });
  }

  /** An elector for a lease of its own, beside the one of the controllers. */
  electorFor(lease: Pick<LeaderElectionOptions, "leaseName" | "namespace" | "onHeld">): LeaderElector {
    return new LeaderElector({
      ...lease,
      client: this.#options.client,
      clock: this.clock,
      random: this.#random,
      identity: this.#identity,
      onError: (error) => this.report(`lease ${lease.namespace}/${lease.leaseName}`, error),
    });
  }

  /** Undefined without leader election. */
  createElector(): LeaderElector | undefined {
    const { leaderElection, name } = this.#definition;
    const { leaseName } = this;
    if (leaseName === undefined) return undefined;
    const settings = typeof leaderElection === "object" ? leaderElection : {};
    const namespace = settings.namespace ?? this.#options.namespace;
    if (namespace === undefined)
      throw new TypeError(`manager "${name}": leader election needs the namespace of its lease`);
    return new LeaderElector({
      ...settings,
      client: this.#options.client,
      clock: this.clock,
      random: this.#random,
      leaseName,
      namespace,
      identity: this.#identity,
      onError: (error) => this.report("leader election", error),
    });
  }
}
