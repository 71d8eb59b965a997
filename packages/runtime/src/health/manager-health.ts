// The checks of a manager: its own, those of its parts, and the author's.
import type { Clock, KubeObject } from "@kubewright/api";
import type { ControllerActivity } from "../controller/activity.js";
import type { Informer } from "../informer/informer.js";
import type { Logger } from "../logging/logger.js";
import { type HealthCheck, type HealthCheckSet, HealthChecks } from "./health-checks.js";

/** The author's own checks. */
export interface OwnChecks {
  /** A process that fails one of these is restarted. */
  readonly live?: HealthCheckSet | undefined;
  /** A process that fails one of these is sent no requests. */
  readonly ready?: HealthCheckSet | undefined;
}

/** The parts of a manager that are checked. */
export interface Watched {
  readonly phase: "starting" | "started" | "stopping";
  readonly activities: readonly ControllerActivity[];
  /** For how long, in milliseconds, a lease that may be another's by now has still been worked under; 0 normally. */
  readonly overdue: number;
}

export interface ManagerHealthOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly watched: Watched;
  readonly informers: () => readonly Informer<KubeObject>[];
  readonly own: readonly (OwnChecks | undefined)[];
}

/** Beyond its timeout a reconcile is ended, and its failure reported within a minute; one that takes longer is stuck. */
const workerGrace = 120_000;
const leaseGrace = 20_000;

export class ManagerHealth {
  readonly live: HealthChecks;
  readonly ready: HealthChecks;
  readonly #options: ManagerHealthOptions;
  #isServing = false;

  constructor(options: ManagerHealthOptions) {
    const { clock, log, own } = options;
    this.#options = options;
    this.live = new HealthChecks(clock, log);
    this.ready = new HealthChecks(clock, log);
    this.live.addAll({
      ping: () => undefined,
      workers: () => this.#checkWorkers(),
      "leader-election": () => this.#checkLease(),
    });
    this.ready.addAll({
      ping: () => undefined,
      caches: () => this.#checkCaches(),
      shutdown: () => this.#checkShutdown(),
    });
    for (const checks of own) {
      this.live.addAll(checks?.live);
      this.ready.addAll(checks?.ready);
    }
  }

  /**
   * The manager serves requests of the API server (webhooks) and is ready when it can. Its caches are then not waited for:
   * they may need an answer from those webhooks to fill.
   */
  readyWhenServing(name: string, check: HealthCheck): void {
    this.#isServing = true;
    this.ready.add(name, check);
  }

  #checkWorkers(): void {
    const { clock, watched } = this.#options;
    const now = clock.monotonic();
    for (const { name, running, timeout } of watched.activities)
      for (const { key, began } of running)
        if (now - began > timeout + workerGrace)
          throw new Error(`controller ${name} has been busy with ${key} for ${seconds(now - began)}`);
  }

  #checkLease(): void {
    const { overdue } = this.#options.watched;
    if (overdue > leaseGrace)
      throw new Error(
        `work continues ${seconds(overdue)} after another replica could have acquired the Lease`,
      );
  }

  #checkCaches(): void {
    if (this.#isServing) return;
    const { watched, informers } = this.#options;
    const late = informers().filter(({ hasSynced }) => !hasSynced);
    if (late.length > 0)
      throw new Error(
        `not filled yet: ${[...new Set(late.map(({ resource }) => resource.kind))].join(", ")}`,
      );
    if (watched.phase === "starting") throw new Error("the manager is starting");
  }

  #checkShutdown(): void {
    if (this.#options.watched.phase === "stopping") throw new Error("the manager is stopping");
  }
}

function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 1000)} s`;
}
