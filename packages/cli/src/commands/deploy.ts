import { defineCommand, type Options } from "../command.js";
import { contextOptions, deployedOptions } from "./shared-options.js";

const options = {
  image: {
    type: "string",
    value: "IMAGE",
    description: "the manager's image (kubewright.image of package.json)",
  },
  wait: { type: "boolean", description: "wait until it is available (on; --no-wait to go on at once)" },
  timeout: { type: "string", value: "SECONDS", description: "how long to wait (120)" },
  ...deployedOptions,
  ...contextOptions,
} as const satisfies Options;

/** The options it has. */
export type DeployFlags = typeof options;

/** `kubewright deploy`: the operator as a Deployment, with everything it needs. */
export const deployCommand = defineCommand({
  example: "kubewright deploy --image registry.example.com/modelbox:1.0",
  options,
  load: async () => (await import("../actions/deploy.js")).deployAction,
});
