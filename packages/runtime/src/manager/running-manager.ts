// A manager that runs, as the process that started it sees it.
import type { MetricsRegistry } from "../metrics/registry.js";
import type { ManagerTimeline } from "../timeline/manager-timeline.js";

/** The addresses of a manager's servers: `http://127.0.0.1:8081`; undefined for what is not served. */
export interface ManagerAddresses {
  readonly health: string | undefined;
  readonly metrics: string | undefined;
  readonly dashboard: string | undefined;
  /** The address of the webhook server; undefined also where webhooks are called without a socket. */
  readonly webhooks: string | undefined;
}

/** A manager that runs, as `startManager` returns it. */
export interface RunningManager {
  /** True when this replica works: always, without leader election and sharding. */
  readonly isLeader: boolean;
  /** Its metrics, to which the author's may be added. */
  readonly metrics: MetricsRegistry;
  /** The history of its reconciles, and what is due next. */
  readonly timeline: ManagerTimeline;
  /** The addresses of its servers. */
  readonly addresses: ManagerAddresses;
  /** Lets a controller collect work and begin none, or begin again. For development: nothing says so to anybody else. */
  setPaused(controller: string, isPaused: boolean): void;
  /** Stops everything, in order. Resolves when nothing is left. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
