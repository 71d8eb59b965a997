import { type Action, exitStatus } from "../command.js";
import type { UpgradeFlags } from "../commands/upgrade.js";
import { printResult } from "../output.js";
import { findProject } from "../scaffold/project-file.js";
import { upgradeProject } from "../scaffold/upgrade-project.js";

/** Does what `kubewright upgrade` says. */
export const upgradeAction: Action<UpgradeFlags> = async ({ values }) => {
  const found = findProject();
  const dryRun = values["dry-run"] ?? false;
  const { changes } = upgradeProject(found, dryRun);
  await printResult(values.output, { directory: found.directory, dryRun, changes }, () => {
    if (changes.length === 0) return "up to date";
    const next = dryRun ? [] : ["", "Next:", "  npm install", "  npm test", "  npx kubewright manifests"];
    return [...changes.map((change) => `  ${change}`), ...next].join("\n");
  });
  return exitStatus.done;
};
