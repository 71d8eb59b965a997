// One life of a project's operator on a cluster: kinds installed where that is asked for, started, told about, closed.
import { randomBytes, randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Clock } from "@kubewright/api";
import { clientFromKubeConfig, loadKubeConfig } from "@kubewright/client";
import type { ReconcileObserver, RunningManager } from "@kubewright/runtime";
import type { MainSettings } from "@kubewright/runtime/main";
import { manifestSettings } from "../manifests/manifest-settings.js";
import { operatorOf } from "../manifests/operator.js";
import { installKinds } from "./install-kinds.js";
import type { Project } from "./load-project.js";
import { type OperatorLogOptions, operatorLog } from "./operator-log.js";
import { forgetRunning, writeRunning } from "./running-record.js";

export interface SessionOptions
  extends Pick<
    MainSettings,
    "webhookHost" | "kubeconfig" | "context" | "namespace" | "preflight" | "shutdownTimeout"
  > {
  readonly project: Project;
  /** Applies the kinds first, those of others, too: the cluster is one of its own. */
  readonly install: boolean;
  readonly leaderElection: boolean;
  readonly webhookPort: number | undefined;
  readonly metricsPort: number | undefined;
  readonly log: OperatorLogOptions;
  readonly observer?: ReconcileObserver | undefined;
  readonly clock?: Clock | undefined;
}

/** Starts the operator; resolves when it works. */
export async function startSession(options: SessionOptions): Promise<RunningManager> {
  const {
    project,
    kubeconfig,
    context,
    namespace,
    shutdownTimeout,
    webhookPort = 0,
    metricsPort = 0,
  } = options;
  if (options.install) await install(options);
  const token = randomBytes(24).toString("base64url");
  const manager = await project.openManager(
    project.definition,
    {
      kubeconfig,
      context,
      namespace,
      preflight: options.preflight,
      shutdownTimeout,
      leaderElection: options.leaderElection,
      webhooks: process.env["ENABLE_WEBHOOKS"] !== "false",
      webhookHost: options.webhookHost,
      webhookPort,
      metrics: { host: "127.0.0.1", port: metricsPort },
      metricsToken: token,
      secureMetrics: false,
    },
    {
      env: process.env,
      log: operatorLog(project.root, options.log),
      observer: options.observer,
      clock: options.clock,
      identity: `${hostname()}_${process.pid}_${randomUUID()}`,
    },
  );
  const { metrics } = manager.addresses;
  if (metrics !== undefined) writeRunning(project.root, { pid: process.pid, metrics, token });
  return manager;
}

/** Stops it and forgets where it was. */
export async function endSession({ root }: Project, manager: RunningManager | undefined): Promise<void> {
  forgetRunning(root);
  await manager?.close();
}

async function install({ project, kubeconfig, context }: SessionOptions): Promise<void> {
  const config = await loadKubeConfig({ path: kubeconfig, context, env: process.env });
  await using client = clientFromKubeConfig(config);
  const { kinds, others } = operatorOf(
    project.definition,
    manifestSettings(project.root, project.definition.name),
  );
  await installKinds(client, [...kinds, ...others]);
}
