// All metrics of one manager.
import type { Clock, KubeObject } from "@kubewright/api";
import type { ControllerActivity } from "../controller/activity.js";
import type { ReconcileObserver } from "../controller/reconcile-observer.js";
import type { Informer } from "../informer/informer.js";
import type { ShardView } from "../sharding/shard-view.js";
import { controllerMetrics } from "./controller-metrics.js";
import { collected, type MetricFamily } from "./metric-family.js";
import { processMetrics } from "./process-metrics.js";
import { ReconcileMetrics } from "./reconcile-metrics.js";
import { reflectorMetrics } from "./reflector-metrics.js";
import { MetricsRegistry } from "./registry.js";
import {
  type CertificateObserver,
  certificateMetrics,
  type WebhookObserver,
  webhookMetrics,
} from "./webhook-metrics.js";

export interface ManagerMetricsOptions {
  readonly registry?: MetricsRegistry | undefined;
  readonly clock: Clock;
  readonly controllers: () => Iterable<ControllerActivity>;
  readonly informers: () => readonly Informer<KubeObject>[];
  /** The lease and whether it is held; undefined without leader election. */
  readonly leader: { readonly name: string; readonly isLeader: () => boolean } | undefined;
  /** The share of this replica; undefined without sharding. */
  readonly shards?: (() => ShardView | undefined) | undefined;
  /** The author's own. */
  readonly own?: readonly MetricFamily[] | undefined;
}

export class ManagerMetrics {
  readonly registry: MetricsRegistry;
  /** For webhook servers. */
  readonly webhooks: WebhookObserver;
  /** Observes the certificates that are loaded. */
  readonly certificates: CertificateObserver;
  readonly #reconciles: ReconcileMetrics;

  constructor({ registry = new MetricsRegistry(), ...options }: ManagerMetricsOptions) {
    const { clock, controllers, informers, leader, shards, own = [] } = options;
    this.registry = registry;
    this.#reconciles = new ReconcileMetrics(registry);
    this.webhooks = webhookMetrics(registry, clock);
    this.certificates = certificateMetrics(registry);
    const families = [
      ...controllerMetrics(controllers, clock),
      ...reflectorMetrics(informers),
      ...processMetrics(),
      ...(leader ? [leaderMetric(leader)] : []),
      ...(shards ? shardMetrics(shards) : []),
      ...own,
    ];
    for (const family of families) registry.register(family);
  }

  observerOf(controller: string): ReconcileObserver {
    return this.#reconciles.observerOf(controller);
  }
}

function shardMetrics(view: () => ShardView | undefined): readonly MetricFamily[] {
  const gauge = (name: string, help: string, value: () => number | undefined): MetricFamily =>
    collected({ name, help }, "gauge", () => [{ value: value() ?? 0 }]);
  return [
    gauge(
      "kubewright_shard_members",
      "Replicas that share the keys, as this one sees it",
      () => view()?.size,
    ),
    gauge(
      "kubewright_shard_generation",
      "Which map of members this replica follows",
      () => view()?.generation,
    ),
  ];
}

function leaderMetric({ name, isLeader }: NonNullable<ManagerMetricsOptions["leader"]>): MetricFamily {
  const help = "1 when this replica holds the lease, 0 when another does";
  return collected({ name: "leader_election_master_status", help, labels: ["name"] }, "gauge", () => [
    { labels: [name], value: isLeader() ? 1 : 0 },
  ]);
}
