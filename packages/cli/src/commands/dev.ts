import { join } from "node:path";
import { customKindsOf } from "@kubewright/runtime";
import { sourceLineOf } from "@kubewright/runtime/main";
import { defineCommand, exitStatus, type Options } from "../command.js";
import { untilInterrupted } from "../interrupt.js";
import { Development } from "../run/development.js";
import { startEmbedded } from "../run/embedded-cluster.js";
import { endSession, startSession } from "../run/operator-session.js";
import { projectRoot } from "../run/project-root.js";
import { logOptionsOf, portOf } from "../run/run-options.js";
import { watchSources } from "../run/watch-sources.js";
import { coloursFor } from "../terminal.js";
import { logOptions, webhookPortOption } from "./shared-options.js";

const options = {
  "data-dir": { type: "string", value: "DIR", description: "keep the cluster's state here (nowhere)" },
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
    say(`cluster ready at ${cluster.url}\nexport KUBECONFIG=${cluster.kubeconfig}`);
    const { red, green } = coloursFor();
    let installed = "";
    const development = new Development({
      root,
      start: async (project) => {
        const kinds = JSON.stringify(customKindsOf(project.definition).map((kind) => kind.crd()));
        const manager = await startSession({
          project,
          install: kinds !== installed,
          kubeconfig: cluster.kubeconfig,
          leaderElection: false,
          webhookPort,
          metricsPort: undefined,
          // The administrator of a cluster of one's own may do everything.
          preflight: "off",
          shutdownTimeout: 300,
          log: logOptionsOf(values),
        });
        installed = kinds;
        return manager;
      },
      stop: endSession,
      onReloaded: ({ definition }, milliseconds) =>
        say(
          green(`operator ${definition.name} started in ${Math.round(milliseconds)} ms; waiting for changes`),
        ),
      onProblem: (what, error) => {
        const place = sourceLineOf(error, root);
        const message = error instanceof Error ? error.message : String(error);
        say(red(`cannot ${what} the operator:\n${place ? `${place}: ` : ""}${message}`));
      },
    });
    const watcher = watchSources(join(root, "src"), () => void development.reload());
    await Promise.race([development.reload(), interrupted]);
    await interrupted;
    watcher.close();
    await development.close();
    await cluster.close();
    return exitStatus.done;
  },
});

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
