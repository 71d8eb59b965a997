// What a process decides about a manager when it starts it.
import type { Clock } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import type { ReconcileObserver } from "../controller/reconcile-observer.js";
import type { OwnChecks } from "../health/manager-health.js";
import type { Logger } from "../logging/logger.js";
import type { SecureServing } from "../metrics/metrics-server.js";
import type { MetricsRegistry } from "../metrics/registry.js";
import type { TracingApi } from "../tracing/reconcile-tracing.js";
import type { WebhookServing } from "../webhook/webhook-serving.js";

/** Where metrics are kept, and where they can be read. */
export interface MetricsOptions {
  /** For metrics that are there before the manager is, such as those of its client. One for each manager. */
  readonly registry?: MetricsRegistry | undefined;
  /** Serves them; 0 for any port that is free. */
  readonly port?: number | undefined;
  /** 127.0.0.1 unless told; `0.0.0.0` or `::` for everybody. */
  readonly host?: string | undefined;
  /** With TLS, and only to those whom the API server allows it. */
  readonly secure?: boolean | SecureServing | undefined;
}

/** Where probes are answered, and what they look at. */
export interface HealthOptions {
  /** Serves them; 0 for any port that is free. */
  readonly port?: number | undefined;
  /** 127.0.0.1 unless told; `0.0.0.0` or `::` for everybody, which kubelet needs. */
  readonly host?: string | undefined;
  /** Further checks. */
  readonly checks?: OwnChecks | undefined;
}

export interface StartOptions {
  readonly client: Client;
  readonly clock?: Clock | undefined;
  readonly log?: Logger | undefined;
  /** Hears what went wrong, besides the log; it is retried either way. */
  readonly onError?: ((where: string, error: unknown) => void) | undefined;
  /** Hears of every reconcile: for metrics, timelines and traces. */
  readonly observer?: ReconcileObserver | undefined;
  readonly metrics?: MetricsOptions | undefined;
  readonly health?: HealthOptions | undefined;
  /** `@opentelemetry/api`; without it spans are made once the application registers a tracer. False for none. */
  readonly tracing?: TracingApi | false | undefined;
  /** How many reconciles that did something are remembered, and as many that did not; 1,000 unless told. */
  readonly timeline?: false | { readonly limit: number } | undefined;
  /** How webhooks are served, `false` for not at all; on 127.0.0.1:9443, reached by URL, unless told. */
  readonly webhooks?: false | WebhookServing | undefined;
  /** The namespace this process runs in: where its lease is, unless the definition says. */
  readonly namespace?: string | undefined;
  /** Names this replica; unique also after a restart. A random one unless told. */
  readonly identity?: string | undefined;
  /** Turns leader election off, for a process that is alone. */
  readonly leaderElection?: false | undefined;
  /** Turns sharding off, for a process that is alone. */
  readonly sharding?: false | undefined;
  /** What to do about missing permissions: refuse to start, only report, or not look. `fail` unless told. */
  readonly preflight?: "fail" | "report" | "off" | undefined;
  /** How long reconciles under way may take when the manager stops, in milliseconds; 30 s unless told. */
  readonly shutdownTimeout?: number | undefined;
  /** Freezes what is cached. For development and tests. */
  readonly freeze?: boolean | undefined;
  readonly random?: (() => number) | undefined;
  readonly newId?: (() => string) | undefined;
}
