import { defineCommand, type Options } from "../command.js";
import { contextOptions, logOptions, webhookPortOption } from "./shared-options.js";

const options = {
  embedded: {
    type: "boolean",
    description: "on an embedded cluster that ends with it, with the kinds installed",
  },
  "data-dir": {
    type: "string",
    value: "DIR",
    description: "keep the embedded cluster's state here (nowhere)",
  },
  ...contextOptions,
  namespace: {
    type: "string",
    short: "n",
    value: "NAME",
    description: "where its lease is (the context's)",
  },
  "leader-elect": { type: "boolean", description: "wait for the lease, beside replicas elsewhere (off)" },
  ...webhookPortOption,
  "metrics-port": {
    type: "string",
    value: "PORT",
    description: "where metrics are served on 127.0.0.1 (a free one)",
  },
  ...logOptions,
} as const satisfies Options;

/** The options it has. */
export type RunFlags = typeof options;

/** `kubewright run`: the operator from source, against the current context or a cluster of its own. */
export const runCommand = defineCommand({
  example: "kubewright run --embedded\nKUBECONFIG=.kubewright/kubeconfig kubectl apply -k config/samples",
  options,
  load: async () => (await import("../actions/run.js")).runAction,
});
