import { defineCommand, type Options } from "../command.js";
import { contextOptions, outputOption } from "./shared-options.js";

const options = { ...contextOptions, output: outputOption } as const satisfies Options;

/** The options it has. */
export type InstallFlags = typeof options;

/** `kubewright install`: the kinds of the project on the current context. */
export const installCommand = defineCommand({
  example: "kubewright install --context staging",
  options,
  load: async () => (await import("../actions/install.js")).installAction,
});
