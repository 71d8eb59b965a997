// The options with which a process starts a manager.
import type { Clock } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import type { ReconcileObserver } from "../controller/reconcile-observer.js";
import type { OwnChecks } from "../health/manager-health.js";
import type { Logger } from "../logging/logger.js";
import type { SecureServing } from "../metrics/metrics-server.js";
import type { MetricsRegistry } from "../metrics/registry.js";
import type { TracingApi } from "../tracing/reconcile-tracing.js";
import type { WebhookServing } from "../webhook/webhook-serving.js";
import type { DashboardServing } from "./dashboard-service.js";

/** The metrics registry and the server for it. */
export interface MetricsOptions {
  /** For metrics that exist before the manager does, such as those of its client. One for each manager. */
  readonly registry?: MetricsRegistry | undefined;
  /** The port to serve them on; 0 for any that is free. */
  readonly port?: number | undefined;
  /** `0.0.0.0` or `::` for all addresses. Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** Answers only requests with this bearer token, where they are served without TLS. */
  readonly token?: string | undefined;
  /** With TLS, authentication and authorization by the API server. */
  readonly secure?: boolean | SecureServing | undefined;
}

/** The server for probes, and its checks. */
export interface HealthOptions {
  /** The port to serve them on; 0 for any that is free. */
  readonly port?: number | undefined;
  /** `0.0.0.0` or `::` for all addresses, which kubelet needs. Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** Further checks. */
  readonly checks?: OwnChecks | undefined;
}

/** What a manager runs with: its client, clock and log, and the ports it serves. */
export interface StartOptions {
  readonly client: Client;
  readonly clock?: Clock | undefined;
  readonly log?: Logger | undefined;
  /** Called with every error, besides the log; the work is retried either way. */
  readonly onError?: ((where: string, error: unknown) => void) | undefined;
  /** Observes every reconcile: for metrics, timelines and traces. */
  readonly observer?: ReconcileObserver | undefined;
  readonly metrics?: MetricsOptions | undefined;
  readonly health?: HealthOptions | undefined;
  /** Serves the dashboard that the manager's definition names. Default: not. */
  readonly dashboard?: DashboardServing | undefined;
  /** `@opentelemetry/api`; without it spans are made once the application registers a tracer. False for none. */
  readonly tracing?: TracingApi | false | undefined;
  /** The number of reconciles in the timeline that did something, and of those that did not. Default: 1,000. */
  readonly timeline?: false | { readonly limit: number } | undefined;
  /** The webhook server; `false` for none. Default: on 127.0.0.1:9443, reached by URL. */
  readonly webhooks?: false | WebhookServing | undefined;
  /** The namespace this process runs in, and the default of its lease. */
  readonly namespace?: string | undefined;
  /** The name of this replica; unique also after a restart. Default: a random one. */
  readonly identity?: string | undefined;
  /** Turns leader election off, for a process that is alone. */
  readonly leaderElection?: false | undefined;
  /** Turns sharding off, for a process that is alone. */
  readonly sharding?: false | undefined;
  /** The treatment of missing permissions: refuse to start, only report, or not check. Default: `fail`. */
  readonly preflight?: "fail" | "report" | "off" | undefined;
  /** The time that reconciles under way are given when the manager stops, in milliseconds. Default: 30 s. */
  readonly shutdownTimeout?: number | undefined;
  /** Freezes cached objects. For development and tests. */
  readonly freeze?: boolean | undefined;
  readonly random?: (() => number) | undefined;
  readonly newId?: (() => string) | undefined;
}
