import { defineCommand, type Options } from "../command.js";
import { contextOptions, deployedOptions } from "./shared-options.js";

const options = {
  follow: { type: "boolean", short: "f", description: "go on as it writes, until Ctrl-C" },
  tail: { type: "string", value: "N", description: "only the last lines of each replica (all)" },
  previous: { type: "boolean", short: "p", description: "of the containers that ran before these" },
  ...deployedOptions,
  ...contextOptions,
} as const satisfies Options;

/** The options it has. */
export type LogsFlags = typeof options;

/** `kubewright logs`: what the deployed operator says, all replicas of it. */
export const logsCommand = defineCommand({
  example: "kubewright logs --follow --tail 100",
  options,
  load: async () => (await import("../actions/logs.js")).logsAction,
});
