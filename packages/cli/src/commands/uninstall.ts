import { defineCommand, type Options } from "../command.js";
import { contextOptions, outputOption } from "./shared-options.js";

const options = {
  force: { type: "boolean", description: "delete the kinds with all objects of them" },
  ...contextOptions,
  output: outputOption,
} as const satisfies Options;

/** The options it has. */
export type UninstallFlags = typeof options;

/** `kubewright uninstall`: takes the kinds away, but not with objects in them unless told. */
export const uninstallCommand = defineCommand({
  example: "kubewright uninstall\nkubewright uninstall --force   # the objects, too",
  options,
  load: async () => (await import("../actions/uninstall.js")).uninstallAction,
});
