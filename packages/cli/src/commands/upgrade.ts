import { defineCommand, exitStatus } from "../command.js";
import { outputOption, printResult } from "../output.js";
import { findProject } from "../scaffold/project-file.js";
import { upgradeProject } from "../scaffold/upgrade-project.js";

/** `kubewright upgrade`: an older project, moved forward. */
export const upgradeCommand = defineCommand({
  example: "npm install --save-dev kubewright@latest && npx kubewright upgrade && npm install",
  options: {
    "dry-run": { type: "boolean", description: "say what would change, and change nothing" },
    output: outputOption,
  },
  async run({ values }) {
    const found = findProject();
    const dryRun = values["dry-run"] ?? false;
    const { changes } = upgradeProject(found, dryRun);
    await printResult(values.output, { directory: found.directory, dryRun, changes }, () => {
      if (changes.length === 0) return "up to date";
      const next = dryRun ? [] : ["", "Next:", "  npm install", "  npm test", "  npx kubewright manifests"];
      return [...changes.map((change) => `  ${change}`), ...next].join("\n");
    });
    return exitStatus.done;
  },
});
