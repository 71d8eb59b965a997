import { defineCommand, type Options } from "../command.js";
import { kindOptions, outputOption } from "./shared-options.js";

const options = {
  ...kindOptions,
  defaulting: { type: "boolean", description: "fills in what was left out" },
  "programmatic-validation": { type: "boolean", description: "the same as --validation" },
  validation: { type: "boolean", description: "refuses what may not be stored" },
  conversion: { type: "boolean", description: "converts between the versions of the kind" },
  force: { type: "boolean", description: "overwrite files that are there" },
  output: outputOption,
} as const satisfies Options;

/** The options it has. */
export type CreateWebhookFlags = typeof options;

/** `kubewright create webhook`: what the API server asks the operator about a kind. */
export const createWebhookCommand = defineCommand({
  example: "kubewright create webhook --group shop --version v1 --kind Order --defaulting --validation",
  options,
  load: async () => (await import("../actions/create-webhook.js")).createWebhookAction,
});
