import { defineCommand, exitStatus, type Options } from "../command.js";
import { printResult } from "../output.js";
import { findProject } from "../scaffold/project-file.js";
import { type Upgrade, upgradeProject } from "../scaffold/upgrade-project.js";
import { coloursFor } from "../terminal.js";
import { outputOption } from "./shared-options.js";

const options = {
  "dry-run": { type: "boolean", description: "show what would change, and change nothing" },
  force: { type: "boolean", description: "also overwrite files that were edited since they were scaffolded" },
  output: outputOption,
} as const satisfies Options;

/** `kubewright upgrade`: an older project, moved forward. */
export const upgradeCommand = defineCommand({
  example:
    "kubewright upgrade --dry-run\nnpm install --save-dev kubewright@latest && npx kubewright upgrade && npm install",
  options,
  async run({ values }) {
    const found = findProject();
    const { "dry-run": dryRun = false, force } = values;
    const upgrade = upgradeProject(found, { dryRun, force });
    await printResult(values.output, { directory: found.directory, dryRun, ...upgrade }, () =>
      upgrade.changes.length === 0 ? "up to date" : shown(upgrade, dryRun),
    );
    return exitStatus.done;
  },
});

function shown({ changes, kept }: Upgrade, dryRun: boolean): string {
  const { bold, yellow } = coloursFor();
  return [
    ...changes.flatMap(({ path, change, diff }) => [bold(`${change} ${path}`), coloured(diff), ""]),
    ...kept.map((path) => yellow(`${path} was edited, so it stays as it is; --force takes the new one`)),
    ...(kept.length > 0 ? [""] : []),
    ...(dryRun
      ? ["nothing was written; without --dry-run it is"]
      : [bold("Next:"), "  npm install", "  npm test", "  npx kubewright manifests"]),
  ].join("\n");
}

function coloured(diff: string): string {
  const { green, red, cyan } = coloursFor();
  const paint = (line: string): string => {
    if (line.startsWith("+")) return green(line);
    if (line.startsWith("-")) return red(line);
    return line.startsWith("@@") ? cyan(line) : line;
  };
  return diff
    .split("\n")
    .map((line) => `  ${paint(line)}`)
    .join("\n");
}
