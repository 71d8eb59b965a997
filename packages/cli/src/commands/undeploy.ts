import { defineCommand, type Options } from "../command.js";
import { contextOptions, deployedOptions, outputOption } from "./shared-options.js";

const options = {
  "delete-namespace": { type: "boolean", description: "the namespace, too, with all that is in it" },
  ...deployedOptions,
  ...contextOptions,
  output: outputOption,
} as const satisfies Options;

/** The options it has. */
export type UndeployFlags = typeof options;

/** `kubewright undeploy`: the other way round. Kinds stay, and so does the namespace unless told. */
export const undeployCommand = defineCommand({
  example: "kubewright undeploy\nkubewright undeploy --delete-namespace",
  options,
  load: async () => (await import("../actions/undeploy.js")).undeployAction,
});
