import { customKindsOf } from "@kubewright/runtime";
import { connect, contextOptions } from "../cluster-commands/connect.js";
import { defineCommand, exitStatus } from "../command.js";
import { outputOption, printResult } from "../output.js";
import { installKinds } from "../run/install-kinds.js";
import { loadProject } from "../run/load-project.js";
import { projectRoot } from "../run/project-root.js";

/** `kubewright install`: the kinds of the project on the current context. */
export const installCommand = defineCommand({
  example: "kubewright install --context staging",
  options: { ...contextOptions, output: outputOption },
  async run({ values }) {
    const { definition } = await loadProject(projectRoot());
    const { client, description } = await connect(values);
    try {
      const installed: string[] = [];
      await installKinds(client, customKindsOf(definition), (name) => installed.push(name));
      await printResult(values.output, { installed }, () =>
        installed.length === 0
          ? "the project has no kinds of its own"
          : installed.map((name) => `installed ${name} on ${description}`).join("\n"),
      );
      return exitStatus.done;
    } finally {
      await client.close();
    }
  },
});
