import { defineCommand, type Options } from "../command.js";
import { contextOptions, outputOption } from "./shared-options.js";

const options = {
  namespace: {
    type: "string",
    short: "n",
    value: "NAME",
    description: "of the object (default; ignored for kinds without one)",
  },
  limit: { type: "string", value: "N", description: "how many reconciles to tell of (10)" },
  url: {
    type: "string",
    value: "URL",
    description: "where the manager serves metrics (the one that runs here, or its pod)",
  },
  "service-account": {
    type: "string",
    value: "NAME",
    description: "of the manager's namespace, who may get /debug/explain (the manager's own)",
  },
  ...contextOptions,
  output: outputOption,
} as const satisfies Options;

/** The options it has. */
export type ExplainReconcileFlags = typeof options;

/** `kubewright explain-reconcile`: the story of one object, from the manager's own timeline. */
export const explainReconcileCommand = defineCommand({
  example: "kubewright explain-reconcile ModelBox web -n shop",
  positionals: { usage: "KIND NAME", least: 2, most: 2 },
  options,
  load: async () => (await import("../actions/explain-reconcile.js")).explainReconcileAction,
});
