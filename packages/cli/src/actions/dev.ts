import { join } from "node:path";
import { customKindsOf } from "@kubewright/runtime";
import { sourceLineOf } from "@kubewright/runtime/main";
import { type Action, exitStatus } from "../command.js";
import type { DevFlags } from "../commands/dev.js";
import { untilInterrupted } from "../interrupt.js";
import { Development } from "../run/development.js";
import { startEmbedded } from "../run/embedded-cluster.js";
import { endSession, startSession } from "../run/operator-session.js";
import { projectRoot } from "../run/project-root.js";
import { logOptionsOf, portOf } from "../run/run-options.js";
import { watchSources } from "../run/watch-sources.js";
import { coloursFor } from "../terminal.js";

/** Does what `kubewright dev` says. */
export const devAction: Action<DevFlags> = async ({ values }) => {
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
};

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
