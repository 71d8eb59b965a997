import { withCluster } from "../cluster-commands/connect.js";
import { deployedOperator } from "../cluster-commands/deployed-operator.js";
import { defineCommand, exitStatus, type Options } from "../command.js";
import { printResult } from "../output.js";
import { installKinds } from "../run/install-kinds.js";
import { loadProject } from "../run/load-project.js";
import { projectRoot } from "../run/project-root.js";
import { contextOptions, outputOption } from "./shared-options.js";

const options = { ...contextOptions, output: outputOption } as const satisfies Options;

/** `kubewright install`: the kinds of the project on the current context. */
export const installCommand = defineCommand({
  example: "kubewright install --context staging",
  options,
  async run({ values }) {
    const { root, definition } = await loadProject(projectRoot());
    const { kinds } = deployedOperator(root, definition, {});
    return withCluster(values, async ({ client, description }) => {
      const installed: string[] = [];
      await installKinds(client, kinds, (name) => installed.push(name));
      await printResult(values.output, { installed }, () =>
        installed.length === 0
          ? "the project defines no kinds"
          : installed.map((name) => `installed ${name} on ${description}`).join("\n"),
      );
      return exitStatus.done;
    });
  },
});
