import { defineCommand, type Options } from "../command.js";
import { outputOption } from "./shared-options.js";

const options = {
  "dry-run": { type: "boolean", description: "show what would change, and change nothing" },
  force: { type: "boolean", description: "overwrite files that were edited since they were scaffolded, too" },
  output: outputOption,
} as const satisfies Options;

/** The options it has. */
export type UpgradeFlags = typeof options;

/** `kubewright upgrade`: an older project, moved forward. */
export const upgradeCommand = defineCommand({
  example:
    "kubewright upgrade --dry-run\nnpm install --save-dev kubewright@latest && npx kubewright upgrade && npm install",
  options,
  load: async () => (await import("../actions/upgrade.js")).upgradeAction,
});
