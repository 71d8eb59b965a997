// Starts a manager from settings: the cluster, how its webhooks are reached, and its servers.
import {
  Client,
  clientFromKubeConfig,
  dashboardUserAgent,
  type Environment,
  isInCluster,
  loadKubeConfig,
  resolveContext,
  type UndiciTransportOptions,
  undiciTransport,
} from "@kubewright/client";
import type { Logger } from "../logging/logger.js";
import type { DashboardServing } from "../manager/dashboard-service.js";
import { clientNames, type ManagerDefinition } from "../manager/define-manager.js";
import { startManager } from "../manager/manager.js";
import type { RunningManager } from "../manager/running-manager.js";
import type { StartOptions } from "../manager/start-options.js";
import { MetricsRegistry } from "../metrics/registry.js";
import { requestMetrics } from "../metrics/request-metrics.js";
import type { WebhookServing } from "../webhook/webhook-serving.js";
import type { MainSettings } from "./main-settings.js";

/** The parts of a process that a manager needs. */
export interface Surroundings {
  readonly env: Environment;
  readonly log: Logger;
  readonly onError?: StartOptions["onError"];
  readonly observer?: StartOptions["observer"];
  readonly clock?: StartOptions["clock"];
  /** The name of this replica. Default: the pod's name and something random. */
  readonly identity?: string | undefined;
}

/**
 * Starts a manager with settings, and with a client of its own that is closed with it.
 *
 * @example
 * const manager = await openManager(definition, { kubeconfig: "./kubeconfig" }, { env: process.env, log });
 */
export async function openManager(
  definition: ManagerDefinition,
  settings: MainSettings,
  { env, log, onError, observer, clock, identity }: Surroundings,
): Promise<RunningManager> {
  const isPod = settings.kubeconfig === undefined && isInCluster(env);
  const config = await loadKubeConfig({ path: settings.kubeconfig, context: settings.context, env });
  const { namespace: current, transport } = resolveContext(config);
  const namespace = settings.namespace ?? current;
  const registry = new MetricsRegistry();
  const client = clientFromKubeConfig(config, {
    ...clientNames(definition),
    onRequest: requestMetrics(registry),
  });
  try {
    const manager = await startManager(elected(definition, settings), {
      client,
      log,
      onError,
      observer,
      clock,
      namespace,
      identity,
      webhooks: isPod ? servingInPod(settings) : outside(definition, settings, transport.server, log),
      preflight: settings.preflight,
      shutdownTimeout: settings.shutdownTimeout,
      health: settings.health,
      dashboard: settings.dashboard && { ...settings.dashboard, ...forPeople(transport) },
      metrics: { registry, ...metricsOf(settings, isPod, definition.name, namespace) },
      ...(isPod ? {} : alone(settings)),
    });
    return closingWith(manager, () => client.close());
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** Requests of people at the dashboard go to the same server, with their tokens and nothing of the manager's. */
function forPeople(transport: UndiciTransportOptions): Pick<DashboardServing, "connect" | "server"> {
  const { server, cluster, ca, serverName, insecureSkipTlsVerify, proxyUrl, compression, clock } = transport;
  const place = { server, cluster, ca, serverName, insecureSkipTlsVerify, proxyUrl, compression, clock };
  const connect = (token: string): Client =>
    new Client({ transport: undiciTransport({ ...place, token }), userAgent: dashboardUserAgent });
  return { connect, server };
}

/** Where a flag asks for leader election, the lease has the manager's name; the manager's own settings of it are kept. */
function elected(definition: ManagerDefinition, { leaderElection }: MainSettings): ManagerDefinition {
  if (leaderElection === undefined) return definition;
  return { ...definition, leaderElection: leaderElection && (definition.leaderElection || true) };
}

/** A process on a developer's machine waits for no other by default. */
function alone({ leaderElection }: MainSettings): Pick<StartOptions, "leaderElection" | "sharding"> {
  return { ...(leaderElection ? {} : { leaderElection: false }), sharding: false };
}

/** Endpoints need a few seconds to reach every node. */
const defaultDrain = 5_000;

/** Behind a Service, whose endpoints have the pod for a while after it has been signalled to stop. */
export function servingInPod(settings: MainSettings): false | WebhookServing {
  const { webhooks, webhookDrain: drain = defaultDrain } = settings;
  return webhooks !== false && { mode: "service", drain, ...listenerOf(settings) };
}

/** An API server on another machine would look for 127.0.0.1 on its own: webhooks need an address it can reach. */
function outside(
  definition: ManagerDefinition,
  settings: MainSettings,
  server: string,
  log: Logger,
): false | WebhookServing {
  const { webhooks = true, webhookHost: advertise } = settings;
  if (!webhooks || !definition.webhooks?.length) return false;
  if (advertise !== undefined) return { mode: "url", advertise, host: "0.0.0.0", ...listenerOf(settings) };
  if (isLoopback(server)) return { mode: "url", ...listenerOf(settings) };
  log.warn("running without webhooks and conversion: the API server is on another machine", {
    server,
    remedy: "name an address of this machine that it can reach (--webhook-host), or deploy the operator",
  });
  return false;
}

function isLoopback(server: string): boolean {
  const { hostname } = new URL(server);
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function listenerOf({ webhookPort: port, webhookCertificates: directory }: MainSettings) {
  const certificates = directory === undefined ? {} : { certificates: { from: "files", directory } as const };
  return { ...(port === undefined ? {} : { port }), ...certificates };
}

function metricsOf(
  settings: MainSettings,
  isPod: boolean,
  name: string,
  namespace: string,
): StartOptions["metrics"] {
  const { metrics, metricsToken: token, secureMetrics = isPod } = settings;
  const service = `${name}-metrics-service.${namespace}.svc`;
  return { ...metrics, token, secure: secureMetrics && { hosts: [service, `${service}.cluster.local`] } };
}

function closingWith(manager: RunningManager, after: () => Promise<void>): RunningManager {
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= manager.close().finally(after);
    return closing;
  };
  return {
    get isLeader() {
      return manager.isLeader;
    },
    metrics: manager.metrics,
    timeline: manager.timeline,
    addresses: manager.addresses,
    setPaused: (controller, isPaused) => manager.setPaused(controller, isPaused),
    close,
    [Symbol.asyncDispose]: close,
  };
}
