import { defineCommand, type Options } from "../command.js";
import { logOptions, webhookPortOption } from "./shared-options.js";

const options = {
  "data-dir": { type: "string", value: "DIR", description: "keep the cluster's state here (nowhere)" },
  ...webhookPortOption,
  ...logOptions,
} as const satisfies Options;

/** The options it has. */
export type DevFlags = typeof options;

/** `kubewright dev`: an embedded cluster that stays, and the operator on it, replaced on every save. */
export const devCommand = defineCommand({
  example: "kubewright dev\nKUBECONFIG=.kubewright/kubeconfig kubectl get all   # in another terminal",
  options,
  load: async () => (await import("../actions/dev.js")).devAction,
});
