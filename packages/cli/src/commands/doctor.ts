import { defineCommand, type Options } from "../command.js";
import { contextOptions, deployedOptions, outputOption } from "./shared-options.js";

const options = { ...deployedOptions, ...contextOptions, output: outputOption } as const satisfies Options;

/** The options it has. */
export type DoctorFlags = typeof options;

/** `kubewright doctor`: what would stop this operator on this cluster, in the order it would. */
export const doctorCommand = defineCommand({
  example: "kubewright doctor --context staging",
  options,
  load: async () => (await import("../actions/doctor.js")).doctorAction,
});
