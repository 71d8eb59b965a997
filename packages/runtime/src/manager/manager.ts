// A running manager: shared caches, controllers on top, started and stopped in order.
//
// Start: probes and metrics are served, permissions are checked, webhooks are served, caches are filled, controllers that warm
// up collect their work, leadership is campaigned for, and the leader works. Stop, the other way round: no more keys are taken, those in
// flight are finished or, when the time is up, ended; events are written; the lease is released; webhooks behind a Service are
// answered until their drain time is over; services and caches are closed.
import { sleep } from "@kubewright/api";
import type { ControllerActivity } from "../controller/activity.js";
import { Controller, type Term } from "../controller/controller.js";
import type { ControllerDefinition } from "../controller/define-controller.js";
import { stopped } from "../controller/workers.js";
import { openFence } from "../leadership/fence.js";
import type { LeaderElector, Leadership } from "../leadership/leader-election.js";
import { untilAborted } from "../leadership/until-aborted.js";
import type { LogFields } from "../logging/logger.js";
import type { MetricsRegistry } from "../metrics/registry.js";
import type { ManagerService } from "../serving/manager-service.js";
import type { Membership } from "../sharding/membership.js";
import type { ShardView } from "../sharding/shard-view.js";
import type { Sharder } from "../sharding/sharder.js";
import type { ManagerTimeline } from "../timeline/manager-timeline.js";
import { webhookNeeds } from "../webhook/webhook-needs.js";
import { type DashboardService, managerDashboard } from "./dashboard-service.js";
import type { ManagerDefinition } from "./define-manager.js";
import { demanded } from "./demanded-service.js";
import { ManagerEnvironment } from "./environment.js";
import type { ManagerState } from "./observation.js";
import { accessNeeds } from "./permissions.js";
import { demandPermissions, missingPermissions } from "./preflight.js";
import type { ManagerAddresses, RunningManager } from "./running-manager.js";
import type { StartOptions } from "./start-options.js";
import { runtimeVersion } from "./version.js";
import { type WebhookService, webhookService } from "./webhook-service.js";

/** Starts a manager; resolves when its caches are filled, or the reason why they are not has been reported. */
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

class Manager implements RunningManager, ManagerState {
  readonly #definition: ManagerDefinition;
  readonly #options: StartOptions;
  readonly #environment: ManagerEnvironment;
  readonly #elector: LeaderElector | undefined;
  readonly #sharder: Sharder | undefined;
  readonly #stop = new AbortController();
  readonly #abort = new AbortController();
  readonly #services: ManagerService[] = [];
  #webhooks: WebhookService | undefined;
  #dashboard: DashboardService | undefined;
  #controllers: readonly Managed[] = [];
  #leadership: Leadership | undefined;
  #membership: Membership | undefined;
  #working: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #phase: ManagerState["phase"] = "starting";

  constructor(definition: ManagerDefinition, options: StartOptions) {
    this.#definition = definition;
    this.#options = options;
    this.#environment = new ManagerEnvironment(definition, options, this);
    this.#elector = this.#environment.createElector();
    this.#sharder = this.#environment.createSharder();
  }

  get isLeader(): boolean {
    return this.leads || this.#membership?.isOpen || (!this.#elector && !this.#sharder);
  }

  get leads(): boolean {
    return this.#leadership?.isOpen ?? false;
  }

  get shards(): ShardView | undefined {
    return this.#membership?.view;
  }

  get phase(): ManagerState["phase"] {
    return this.#phase;
  }

  get activities(): readonly ControllerActivity[] {
    return this.#controllers.map(({ controller }) => controller);
  }

  get metrics(): MetricsRegistry {
    return this.#environment.observation.metrics.registry;
  }

  get timeline(): ManagerTimeline {
    return this.#environment.observation.timeline;
  }

  get addresses(): ManagerAddresses {
    return {
      ...this.#environment.observation.addresses,
      dashboard: this.#dashboard?.url,
      webhooks: this.#webhooks?.address,
    };
  }

  setPaused(controller: string, isPaused: boolean): void {
    const found = this.#controllers.find(({ definition }) => definition.name === controller);
    if (!found) throw new Error(`manager "${this.#definition.name}" has no controller "${controller}"`);
    found.controller.isPaused = isPaused;
  }

  get overdue(): number {
    return this.#leadership?.overdue ?? 0;
  }

  async start(): Promise<void> {
    const { signal } = this.#stop;
    const { services, health } = this.#environment.observation;
    this.#webhooks = await this.#createWebhooks();
    const webhooks = this.#webhooks && demanded(this.#webhooks, health);
    this.#dashboard = this.#createDashboard();
    for (const service of [...services, this.#dashboard]) if (service) await this.#serve(service);
    // Before anything is written: webhooks write a Secret and configurations.
    await this.#demandPermissions();
    if (webhooks) await this.#serve(webhooks);
    this.#controllers = this.#definition.controllers.map((definition) => this.#createController(definition));
    const { free, elected, sharded } = this.#assigned();
    const term: Term = { fence: openFence, stop: signal, abort: this.#abort.signal };
    // Each begins when its own caches are filled: one that waits for its kind to be installed holds up no other.
    const working: Promise<unknown>[] = free.map(({ controller }) => controller.work(term));
    this.#working = Promise.all(working);
    await Promise.all(this.#controllers.map(({ controller }) => controller.prepared(signal)));
    if (!signal.aborted) {
      if (this.#elector) working.push(this.#campaign(this.#elector, elected));
      if (this.#sharder) working.push(this.#share(this.#sharder, sharded));
      this.#working = Promise.all(working);
    }
    if (this.#phase === "starting") this.#phase = "started";
    this.#environment.log.info("started", this.#facts());
  }

  /** Logs what an administrator needs to know of a start. */
  #facts(): LogFields {
    const { health, metrics, dashboard, webhooks } = this.addresses;
    const { leaseName } = this.#environment;
    return {
      version: runtimeVersion,
      kinds: this.#definition.controllers.map(({ resource }) => resource.kind),
      health,
      metrics,
      dashboard,
      webhooks,
      leaderElection: leaseName === undefined ? "off" : `lease ${leaseName}`,
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const { clock, events, pool, log } = this.#environment;
    const wasStarted = this.#phase === "started";
    this.#phase = "stopping";
    const drained = wasStarted ? this.#webhooks?.drain() : undefined;
    this.#stop.abort(stopped);
    const worked = new AbortController();
    const deadline = sleep(clock, this.#options.shutdownTimeout ?? 30_000, worked.signal).then(
      () => this.#abort.abort(stopped),
      () => undefined,
    );
    await this.#working;
    worked.abort();
    await deadline;
    await events.flush();
    await this.#leadership?.release();
    await this.#membership?.leave();
    await Promise.all(this.#controllers.map(({ controller }) => controller.close()));
    await drained;
    for (const service of this.#services.toReversed()) await service.close();
    await pool.close();
    log.info("stopped");
  }

  async #serve(service: ManagerService): Promise<void> {
    if (this.#stop.signal.aborted) return;
    this.#services.push(service);
    await service.start();
  }

  /** A user who may not configure webhooks can run the rest of the operator from their machine. */
  async #createWebhooks(): Promise<WebhookService | undefined> {
    const service = webhookService(this.#definition, this.#options, this.#environment);
    if (!service?.isOptional || this.#options.preflight === "off") return service;
    const needs = webhookNeeds(this.#definition, this.#options);
    const missing = await missingPermissions(this.#options.client, needs).catch(() => []);
    if (missing.length === 0) return service;
    this.#environment.log.warn("running without webhooks: you may not configure them", { missing });
    return undefined;
  }

  /** Undefined unless the process asks for it. */
  #createDashboard(): DashboardService | undefined {
    const { dashboard: serving, client } = this.#options;
    const { clock, observation } = this.#environment;
    if (!serving) return undefined;
    return managerDashboard({
      definition: this.#definition,
      serving,
      manager: this,
      client,
      clock,
      certificates: observation.metrics.certificates,
      onError: (error) => this.#environment.report("dashboard", error),
    });
  }

  #demandPermissions(): Promise<void> {
    const needs = [
      ...accessNeeds(this.#definition),
      ...(this.#webhooks ? webhookNeeds(this.#definition, this.#options) : []),
      ...this.#environment.observation.needs,
      ...[this.#elector?.need, this.#sharder?.need].filter((need) => need !== undefined),
    ];
    return demandPermissions(needs, {
      name: this.#definition.name,
      client: this.#options.client,
      mode: this.#options.preflight ?? "fail",
      report: (error) => this.#environment.report("permission check", error),
    });
  }

  /** Leads, works, and when leadership is lost campaigns again, until the manager stops. */
  async #campaign(elector: LeaderElector, controllers: readonly Managed[]): Promise<void> {
    const { log } = this.#environment;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      for (const { controller, definition } of controllers) if (definition.warmUp) controller.warmUp();
      const leadership = await elector.acquire(signal).catch(() => undefined);
      if (!leadership) return;
      this.#leadership = leadership;
      log.info("leading", { lease: this.#environment.leaseName });
      const term: Term = {
        fence: leadership,
        stop: AbortSignal.any([signal, leadership.lost]),
        abort: AbortSignal.any([this.#abort.signal, leadership.lost]),
      };
      await this.#leadUntilDone(controllers, term);
      if (!leadership.lost.aborted) continue;
      this.#leadership = undefined;
      this.#environment.report("leader election", leadership.lost.reason);
    }
  }

  /** Works until the term ends. Webhooks stay configured until the controllers have finished. */
  async #leadUntilDone(controllers: readonly Managed[], term: Term): Promise<void> {
    const done = new AbortController();
    const webhooks = this.#webhooks?.lead(done.signal);
    await Promise.all([
      untilAborted(term.stop),
      ...controllers.map(({ controller }) => controller.work(term)),
    ]);
    done.abort();
    await webhooks;
  }

  /** Shares keys, works on its own, and when membership is lost begins anew, until the manager stops. */
  async #share(sharder: Sharder, controllers: readonly Managed[]): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      for (const { controller, definition } of controllers) if (definition.warmUp) controller.warmUp();
      const membership = await sharder.join(signal).catch(() => undefined);
      if (!membership) return;
      this.#membership = membership;
      const term: Term = {
        fence: membership,
        shards: membership,
        stop: AbortSignal.any([signal, membership.lost]),
        abort: AbortSignal.any([this.#abort.signal, membership.lost]),
      };
      await Promise.all(controllers.map(({ controller }) => controller.work(term)));
      if (!membership.lost.aborted) continue;
      this.#membership = undefined;
      this.#environment.report("sharding", membership.lost.reason);
      await membership.leave();
    }
  }

  /** Sorts controllers: those that work everywhere, in the leader, or on a share of their keys. */
  #assigned(): Readonly<Record<"free" | "elected" | "sharded", readonly Managed[]>> {
    const placeOf = ({ definition: { everywhere, sharded } }: Managed) => {
      if (everywhere) return "free";
      if (this.#sharder && sharded !== false) return "sharded";
      return this.#elector ? "elected" : "free";
    };
    const at = (place: string) => this.#controllers.filter((managed) => placeOf(managed) === place);
    return { free: at("free"), elected: at("elected"), sharded: at("sharded") };
  }

  #createController(definition: ControllerDefinition): Managed {
    const { namespaces, concurrency } = this.#definition;
    const { kind, group } = definition.resource;
    const complete = {
      ...definition,
      namespaces: definition.namespaces ?? namespaces,
      concurrency: definition.concurrency ?? concurrency?.[group ? `${kind}.${group}` : kind],
    };
    return {
      definition: complete,
      controller: new Controller(complete, this.#environment.forController(definition.name)),
    };
  }
}
