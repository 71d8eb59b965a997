import { CustomResourceDefinition, isNotFound } from "@kubewright/api";
import { type Client, isAbsent, waitFor } from "@kubewright/client";
import type { CustomKind } from "@kubewright/runtime";
import { withCluster } from "../cluster-commands/connect.js";
import { customObjects } from "../cluster-commands/custom-objects.js";
import { deployedOperator } from "../cluster-commands/deployed-operator.js";
import { defineCommand, exitStatus, type Options } from "../command.js";
import { printResult } from "../output.js";
import { loadProject } from "../run/load-project.js";
import { projectRoot } from "../run/project-root.js";
import { contextOptions, outputOption } from "./shared-options.js";

const options = {
  force: {
    type: "boolean",
    description: "delete the CRDs even if there are objects, which are deleted with them",
  },
  ...contextOptions,
  output: outputOption,
} as const satisfies Options;

const shown = 20;

/** `kubewright uninstall`: deletes the CRDs; with objects of them only when forced. */
export const uninstallCommand = defineCommand({
  example: "kubewright uninstall\nkubewright uninstall --force   # the objects, too",
  options,
  async run({ values }) {
    const { root, definition } = await loadProject(projectRoot());
    const { kinds } = deployedOperator(root, definition, {});
    return withCluster(values, async ({ client, description }) => {
      const objects = values.force ? [] : await customObjects(client, kinds);
      if (objects.length > 0) {
        await printResult(values.output, { objects, deleted: [] }, () => refusal(objects, description));
        return exitStatus.problemsFound;
      }
      const deleted: string[] = [];
      for (const kind of kinds) if (await remove(client, kind)) deleted.push(`${kind.plural}.${kind.group}`);
      await printResult(values.output, { objects: [], deleted }, () =>
        deleted.length === 0
          ? `none of the kinds is installed on ${description}`
          : deleted.map((name) => `deleted ${name} from ${description}`).join("\n"),
      );
      return exitStatus.done;
    });
  },
});

function refusal(objects: readonly string[], where: string): string {
  const rest = objects.length - shown;
  return [
    `nothing was deleted: ${where} has ${objects.length} object${objects.length === 1 ? "" : "s"} that would be deleted with the kinds:`,
    ...objects.slice(0, shown).map((object) => `  ${object}`),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
    "delete them first, or use --force to delete them with their kinds",
  ].join("\n");
}

async function remove(client: Client, kind: CustomKind): Promise<boolean> {
  const name = `${kind.plural}.${kind.group}`;
  try {
    await client.delete(CustomResourceDefinition, name);
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
  await waitFor(client, CustomResourceDefinition, name, isAbsent, { timeout: 60_000 });
  return true;
}
