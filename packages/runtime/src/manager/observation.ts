// Observability of a manager: its metrics, its health, and the servers for both.
import type { Clock } from "@kubewright/api";
import { observers, type ReconcileObserver } from "../controller/reconcile-observer.js";
import { HealthServer } from "../health/health-server.js";
import { ManagerHealth, type Watched } from "../health/manager-health.js";
import type { InformerPool } from "../informer/informer-pool.js";
import type { Logger } from "../logging/logger.js";
import { guardNeeds } from "../metrics/bearer-guard.js";
import { ManagerMetrics } from "../metrics/manager-metrics.js";
import { MetricsServer } from "../metrics/metrics-server.js";
import type { AccessNeed } from "../rbac/access-need.js";
import type { ManagerService } from "../serving/manager-service.js";
import type { ShardView } from "../sharding/shard-view.js";
import { ManagerTimeline } from "../timeline/manager-timeline.js";
import { Timeline } from "../timeline/timeline.js";
import { timelinePages } from "../timeline/timeline-pages.js";
import type { ManagerDefinition } from "./define-manager.js";
import { ReconcileLog } from "./reconcile-log.js";
import type { ManagerAddresses } from "./running-manager.js";
import type { StartOptions } from "./start-options.js";

/** The state of a manager, for metrics and health checks. */
export interface ManagerState extends Watched {
  /** True when this replica works. */
  readonly isLeader: boolean;
  /** True when it holds the lease of the leader. */
  readonly leads: boolean;
  /** Its share of the keys; undefined when they are not shared, or not at the moment. */
  readonly shards: ShardView | undefined;
}

export interface ObservationOptions {
  readonly definition: ManagerDefinition;
  readonly options: StartOptions;
  readonly state: ManagerState;
  readonly clock: Clock;
  readonly log: Logger;
  readonly pool: InformerPool;
  readonly leaseName: string | undefined;
  readonly report: (where: string, error: unknown) => void;
}

const timelineLimit = 1_000;

export class Observation {
  readonly metrics: ManagerMetrics;
  readonly health: ManagerHealth;
  readonly timeline: ManagerTimeline;
  readonly #records: Timeline | undefined;
  readonly #log: ReconcileLog;
  readonly #healthServer: HealthServer | undefined;
  readonly #metricsServer: MetricsServer | undefined;
  readonly #isGuarded: boolean;
  readonly #options: StartOptions;

  constructor({ definition, options, state, clock, log, pool, leaseName, report }: ObservationOptions) {
    this.#options = options;
    const { health, metrics, client } = options;
    const informers = () => pool.informers;
    this.metrics = new ManagerMetrics({
      registry: metrics?.registry,
      clock,
      controllers: () => state.activities,
      informers,
      leader: leaseName === undefined ? undefined : { name: leaseName, isLeader: () => state.leads },
      shards: definition.sharding && options.sharding !== false ? () => state.shards : undefined,
      own: definition.metrics,
    });
    const { timeline } = options;
    this.#records = timeline === false ? undefined : new Timeline(clock, timeline?.limit ?? timelineLimit);
    this.#log = new ReconcileLog(log);
    const controllers = () => state.activities;
    this.timeline = new ManagerTimeline({ timeline: this.#records, controllers, clock });
    const own = [definition.checks, health?.checks];
    this.health = new ManagerHealth({ clock, log, watched: state, informers, own });
    if (health?.port !== undefined) {
      const onError = (error: unknown): void => report("health server", error);
      const { port, host } = health;
      this.#healthServer = new HealthServer({ port, host, clock, health: this.health, onError });
    }
    const secure = metrics?.secure === true ? {} : metrics?.secure || undefined;
    this.#isGuarded = metrics?.port !== undefined && secure !== undefined;
    if (metrics?.port !== undefined)
      this.#metricsServer = new MetricsServer({
        port: metrics.port,
        host: metrics.host,
        secure,
        token: metrics.token,
        registry: this.metrics.registry,
        pages: timelinePages(this.timeline),
        client,
        clock,
        certificates: this.metrics.certificates,
        onError: (error) => report("metrics server", error),
      });
  }

  /** The observer of one controller's reconciles. */
  observerOf(controller: string): ReconcileObserver | undefined {
    return observers([this.metrics.observerOf(controller), this.#records, this.#log, this.#options.observer]);
  }

  /** Whether reconciles note what they read from caches. */
  get reads(): { readonly areWatched: boolean } {
    return this.#records ?? { areWatched: false };
  }

  get services(): readonly ManagerService[] {
    return [this.#healthServer, this.#metricsServer].filter((service) => service !== undefined);
  }

  /** The permissions it needs. */
  get needs(): readonly AccessNeed[] {
    return this.#isGuarded ? guardNeeds : [];
  }

  get addresses(): Pick<ManagerAddresses, "health" | "metrics"> {
    return { health: this.#healthServer?.url, metrics: this.#metricsServer?.url };
  }
}
