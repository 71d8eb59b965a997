import { withCluster } from "../cluster-commands/connect.js";
import { deployedOperator } from "../cluster-commands/deployed-operator.js";
import { type Migration, migrateStorage } from "../cluster-commands/migrate-storage.js";
import { defineCommand, exitStatus, type Options } from "../command.js";
import { printResult } from "../output.js";
import { loadProject } from "../run/load-project.js";
import { projectRoot } from "../run/project-root.js";
import { contextOptions, outputOption } from "./shared-options.js";

const options = { ...contextOptions, output: outputOption } as const satisfies Options;

/** `kubewright migrate-storage`: objects are stored in the storage version, and the versions before may be dropped. */
export const migrateStorageCommand = defineCommand({
  example:
    "kubewright migrate-storage   # after the storage version has changed and the operator is deployed",
  options,
  async run({ values }) {
    const { root, definition } = await loadProject(projectRoot());
    const { kinds } = deployedOperator(root, definition, {});
    return withCluster(values, async ({ client, description }) => {
      const migrations: Migration[] = [];
      for (const { plural, group } of kinds) {
        const migration = await migrateStorage(client, `${plural}.${group}`);
        if (migration) migrations.push(migration);
      }
      await printResult(values.output, { migrations }, () =>
        migrations.length === 0
          ? `none of the kinds is installed on ${description}`
          : migrations.map(described).join("\n"),
      );
      return exitStatus.done;
    });
  },
});

function described({ name, storageVersion, before, rewritten }: Migration): string {
  const older = before.filter((version) => version !== storageVersion);
  if (older.length === 0) return `${name}: everything is stored as ${storageVersion}`;
  const objects = `${rewritten} object${rewritten === 1 ? "" : "s"}`;
  return `${name}: ${objects} written as ${storageVersion}; nothing is stored as ${older.join(", ")} any more`;
}
