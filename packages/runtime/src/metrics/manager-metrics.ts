// All metrics of one manager.
import type { Clock, KubeObject } from "@kubewright/api";
import type { ControllerActivity } from "../controller/activity.js";
import type { ReconcileObserver } from "../controller/reconcile-observer.js";
import type { Informer } from "../informer/informer.js";
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
  /** The author's own. */
  readonly own?: readonly MetricFamily[] | undefined;
}

export class ManagerMetrics {
  readonly registry: MetricsRegistry;
  /** For webhook servers. */
  readonly webhooks: WebhookObserver;
  /** For whoever reads certificates. */
  readonly certificates: CertificateObserver;
  readonly #reconciles: ReconcileMetrics;

  constructor({ registry = new MetricsRegistry(), ...options }: ManagerMetricsOptions) {
    const { clock, controllers, informers, leader, own = [] } = options;
    this.registry = registry;
    this.#reconciles = new ReconcileMetrics(registry);
    this.webhooks = webhookMetrics(registry, clock);
    this.certificates = certificateMetrics(registry);
    const families = [
      ...controllerMetrics(controllers, clock),
      ...reflectorMetrics(informers),
      ...processMetrics(),
      ...(leader ? [leaderMetric(leader)] : []),
      ...own,
    ];
    for (const family of families) registry.register(family);
  }

  observerOf(controller: string): ReconcileObserver {
    return this.#reconciles.observerOf(controller);
  }
}

function leaderMetric({ name, isLeader }: NonNullable<ManagerMetricsOptions["leader"]>): MetricFamily {
  const help = "1 when this replica holds the lease, 0 when another does";
  return collected({ name: "leader_election_master_status", help, labels: ["name"] }, "gauge", () => [
    { labels: [name], value: isLeader() ? 1 : 0 },
  ]);
}
