import { isForbidden } from "@kubewright/api";
import { type Client, ConfigError } from "@kubewright/client";
import { withCluster } from "../cluster-commands/connect.js";
import { deployedOperator } from "../cluster-commands/deployed-operator.js";
import { type KindState, kindStates } from "../cluster-commands/kind-states.js";
import { defineCommand, exitStatus, type Options, UsageError } from "../command.js";
import { untilInterrupted } from "../interrupt.js";
import type { Operator } from "../manifests/operator.js";
import { startEmbedded } from "../run/embedded-cluster.js";
import { loadProject } from "../run/load-project.js";
import { openDashboardOn } from "../run/open-dashboard.js";
import { endSession, startSession } from "../run/operator-session.js";
import { projectRoot } from "../run/project-root.js";
import { logOptionsOf, portOf } from "../run/run-options.js";
import { staleManifests } from "../run/stale-manifests.js";
import { shellWord } from "../shell-word.js";
import { withoutControls } from "../terminal.js";
import { contextOptions, logOptions, webhookPortOption } from "./shared-options.js";

const options = {
  embedded: {
    type: "boolean",
    description: "run on an embedded cluster, with the kinds installed, that stops with the operator",
  },
  "data-dir": {
    type: "string",
    value: "DIR",
    description: "keep the state of the embedded cluster in this directory (default: in memory)",
  },
  ...contextOptions,
  namespace: {
    type: "string",
    short: "n",
    value: "NAME",
    description: "the namespace of the leader election Lease (default: that of the context)",
  },
  "leader-elect": {
    type: "boolean",
    description: "enable leader election, so that other replicas may run at the same time",
  },
  "webhook-host": {
    type: "string",
    value: "HOST",
    description:
      "the host under which the API server reaches the webhooks of this machine (default: 127.0.0.1)",
  },
  ...webhookPortOption,
  "metrics-port": {
    type: "string",
    value: "PORT",
    description: "the port for metrics on 127.0.0.1 (default: a free port)",
  },
  dashboard: { type: "boolean", description: "serve a web page that shows what the operator does" },
  ...logOptions,
} as const satisfies Options;

/** `kubewright run`: the operator from source, against the current context or a cluster of its own. */
export const runCommand = defineCommand({
  example: "kubewright run --embedded\nKUBECONFIG=.kubewright/kubeconfig kubectl apply -k config/samples",
  options,
  async run({ values }) {
    const { embedded = false, kubeconfig, context } = values;
    if (embedded && (kubeconfig !== undefined || context !== undefined))
      throw new UsageError(
        "--embedded starts its own cluster and cannot be combined with --kubeconfig or --context",
      );
    if (!embedded && values["data-dir"] !== undefined) throw new UsageError("--data-dir needs --embedded");
    const webhookPort = portOf(values["webhook-port"], "webhook-port");
    const metricsPort = portOf(values["metrics-port"], "metrics-port");
    process.setSourceMapsEnabled(true);
    const project = await loadProject(projectRoot());
    const interrupted = untilInterrupted();
    const own = embedded ? await startEmbedded(project.root, values["data-dir"]) : undefined;
    if (own) say(`cluster ready at ${own.url}\nexport KUBECONFIG=${shellWord(own.kubeconfig)}`);
    else
      await withCluster({ kubeconfig, context }, ({ client }) =>
        warnOfMissingKinds(client, deployedOperator(project.root, project.definition, {})),
      ).catch((error: unknown) => {
        const { cause } = error instanceof Error ? error : {};
        if (!(cause instanceof ConfigError)) throw error;
        throw new Error(`${cause.message}; kubewright run --embedded starts its own cluster`, { cause });
      });
    const place = { kubeconfig: own?.kubeconfig ?? kubeconfig, context };
    const dashboard = values.dashboard ? await openDashboardOn(place, own?.controls) : undefined;
    if (dashboard) say(`dashboard at ${dashboard.url}`);
    const starting = startSession({
      project,
      install: embedded,
      ...place,
      clock: own?.clock,
      namespace: values.namespace,
      leaderElection: values["leader-elect"] ?? false,
      webhookHost: values["webhook-host"],
      webhookPort,
      metricsPort,
      log: logOptionsOf(values),
    });
    try {
      const first = await Promise.race([starting, interrupted]);
      if (first) {
        dashboard?.addManager(project.definition.name, first);
        say(`operator ${project.definition.name} started; Ctrl-C ends it`);
        const stale = staleManifests(project);
        if (stale !== undefined) say(stale);
      }
      await interrupted;
    } finally {
      await dashboard?.close();
      await endSession(project, await starting.catch(() => undefined));
      await own?.close();
    }
    return exitStatus.done;
  },
});

/** The manager waits for kinds that are not there; a person should know what for. */
export async function warnOfMissingKinds(client: Client, { kinds, others }: Operator): Promise<void> {
  const remedies = [
    [kinds, "kubewright install installs it"],
    [others, "it belongs to another operator, which has to be installed first"],
  ] as const;
  for (const [some, remedy] of remedies)
    for (const { name, state } of await kindStates(client, some).catch(mayNotRead))
      if (state === "missing") say(`${name} is not installed on this cluster; ${remedy}`);
}

/** The manager needs no permission to read definitions: without it nothing is said. */
function mayNotRead(error: unknown): readonly KindState[] {
  if (isForbidden(error)) return [];
  throw error;
}

function say(text: string): void {
  process.stdout.write(`${withoutControls(text)}\n`);
}
