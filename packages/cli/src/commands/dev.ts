import { join } from "node:path";
import { systemClock } from "@kubewright/api";
import { customKindsOf, type ManagerDefinition } from "@kubewright/runtime";
import { sourceLineOf } from "@kubewright/runtime/main";
import { defineCommand, exitStatus, type Options } from "../command.js";
import { untilInterrupted } from "../interrupt.js";
import { Development } from "../run/development.js";
import { startEmbedded } from "../run/embedded-cluster.js";
import { FoldedLines } from "../run/folded-lines.js";
import type { Project } from "../run/load-project.js";
import { openDashboardOn } from "../run/open-dashboard.js";
import { endSession, startSession } from "../run/operator-session.js";
import { projectRoot } from "../run/project-root.js";
import { ReconcileLines } from "../run/reconcile-lines.js";
import { logOptionsOf, portOf } from "../run/run-options.js";
import { staleManifests } from "../run/stale-manifests.js";
import { TypeCheck } from "../run/type-check.js";
import { watchSources } from "../run/watch-sources.js";
import { shellWord } from "../shell-word.js";
import { coloursFor, withoutControls } from "../terminal.js";
import { logOptions, webhookPortOption } from "./shared-options.js";

const options = {
  "data-dir": {
    type: "string",
    value: "DIR",
    description: "keep the state of the cluster in this directory (default: in memory)",
  },
  ...webhookPortOption,
  ...logOptions,
} as const satisfies Options;

/** `kubewright dev`: an embedded cluster that stays, and the operator on it, replaced on every save. */
export const devCommand = defineCommand({
  example: "kubewright dev\nKUBECONFIG=.kubewright/kubeconfig kubectl get all   # in another terminal",
  options,
  async run({ values }) {
    const root = projectRoot();
    const webhookPort = portOf(values["webhook-port"], "webhook-port");
    process.setSourceMapsEnabled(true);
    const interrupted = untilInterrupted();
    const cluster = await startEmbedded(root, values["data-dir"]);
    say(`cluster ready at ${cluster.url}\nexport KUBECONFIG=${shellWord(cluster.kubeconfig)}`);
    const dashboard = await openDashboardOn(cluster, cluster.controls);
    say(`dashboard at ${dashboard.url}`);
    const lines = new FoldedLines(systemClock, say);
    const types = typeCheckOf(root, lines);
    let installed = "";
    let stale: string | undefined;
    let forgetManager: (() => void) | undefined;
    const development = new Development({
      root,
      start: async (project) => {
        const kinds = JSON.stringify(customKindsOf(project.definition).map((kind) => kind.crd()));
        const manager = await startSession({
          project,
          install: kinds !== installed,
          kubeconfig: cluster.kubeconfig,
          clock: cluster.clock,
          leaderElection: false,
          webhookPort,
          metricsPort: undefined,
          // The administrator of an embedded cluster may do everything.
          preflight: "off",
          shutdownTimeout: 300,
          // Written for the person at the terminal, wherever the output goes.
          log: { format: "text", ...logOptionsOf(values), lines },
          observer: new ReconcileLines(lines, kindsOf(project.definition)),
        });
        installed = kinds;
        forgetManager = dashboard.addManager(project.definition.name, manager);
        return manager;
      },
      stop: (project, manager) => {
        forgetManager?.();
        return endSession(project, manager);
      },
      onReloaded: (project, milliseconds) => {
        lines.print(reloadedText(project, milliseconds));
        const now = staleManifests(project);
        if (now !== undefined && now !== stale) lines.print(coloursFor().yellow(now));
        stale = now;
      },
      onProblem: (what, error) => lines.print(problemText(what, error, root)),
    });
    const reload = (): Promise<void> => {
      types.start();
      return development.reload();
    };
    const watcher = watchSources(join(root, "src"), () => void reload());
    await Promise.race([reload(), interrupted]);
    await interrupted;
    watcher.close();
    types.close();
    await dashboard.close();
    await development.close();
    await cluster.close();
    lines.flush();
    say("\nstopped");
    return exitStatus.done;
  },
});

const kindsOf = ({ controllers }: ManagerDefinition): ReadonlyMap<string, string> =>
  new Map(controllers.map(({ name, resource }) => [name, resource.kind]));

/** Reports type errors while the operator runs, and that they are gone. */
function typeCheckOf(root: string, lines: FoldedLines): TypeCheck {
  const { red, green } = coloursFor();
  let hadErrors = false;
  return new TypeCheck(root, (errors) => {
    for (const line of errors) lines.print(red(line));
    if (hadErrors && errors.length === 0) lines.print(green("no type errors"));
    hadErrors = errors.length > 0;
  });
}

const reloadedText = ({ definition }: Project, milliseconds: number): string =>
  coloursFor().green(
    `operator ${definition.name} started in ${Math.round(milliseconds)} ms; waiting for changes`,
  );

function problemText(what: string, error: unknown, root: string): string {
  const place = sourceLineOf(error, root);
  const message = error instanceof Error ? error.message : String(error);
  return coloursFor().red(`cannot ${what} the operator:\n${place ? `${place}: ` : ""}${message}`);
}

function say(text: string): void {
  process.stdout.write(`${withoutControls(text)}\n`);
}
