import { withCluster } from "../cluster-commands/connect.js";
import { deployedOperator, managerPods } from "../cluster-commands/deployed-operator.js";
import { defineCommand, exitStatus, type Options, UsageError } from "../command.js";
import { untilInterrupted } from "../interrupt.js";
import { loadProject } from "../run/load-project.js";
import { projectRoot } from "../run/project-root.js";
import { contextOptions, deployedOptions } from "./shared-options.js";

const options = {
  follow: { type: "boolean", short: "f", description: "follow the log until Ctrl-C" },
  tail: { type: "string", value: "N", description: "show the last N lines of each replica (default: all)" },
  previous: { type: "boolean", short: "p", description: "show the log of the previous containers" },
  ...deployedOptions,
  ...contextOptions,
} as const satisfies Options;

/** `kubewright logs`: what the deployed operator says, all replicas of it. */
export const logsCommand = defineCommand({
  example: "kubewright logs --follow --tail 100",
  options,
  async run({ values }) {
    const tailLines = values.tail === undefined ? undefined : Number(values.tail);
    if (tailLines !== undefined && !(Number.isInteger(tailLines) && tailLines >= 0))
      throw new UsageError(`--tail ${values.tail}: a number of lines is needed`);
    const { root, definition } = await loadProject(projectRoot());
    const operator = deployedOperator(root, definition, values);
    const { namespace } = operator.settings;
    return withCluster(values, async ({ client, description }) => {
      const stop = new AbortController();
      const pods = await managerPods(client, operator);
      if (pods.length === 0)
        throw new Error(
          `${definition.name} has no pods in ${namespace} of ${description}; kubewright deploy makes some`,
        );
      const { follow = false, previous = false } = values;
      const { signal } = stop;
      const show = async (name: string): Promise<void> => {
        const lead = pods.length > 1 ? `${name}: ` : "";
        const logOptions = { namespace, container: "manager", follow, previous, tailLines, signal };
        for await (const line of client.pods.log(name, logOptions)) process.stdout.write(`${lead}${line}\n`);
      };
      if (follow) void untilInterrupted().then(() => stop.abort());
      await Promise.all(pods.map(({ metadata }) => show(metadata?.name ?? ""))).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      return exitStatus.done;
    });
  },
});
