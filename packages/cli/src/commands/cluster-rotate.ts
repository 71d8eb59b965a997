import { defineCommand, type Options } from "../command.js";

const options = {
  "data-dir": {
    type: "string",
    value: "DIR",
    description: "the folder of the cluster, whether it runs or not (needed)",
  },
  "accept-for": {
    type: "string",
    value: "24h",
    description: "how long what was before is believed; 0s for not at all (a year; tokens 1h)",
  },
} as const satisfies Options;

/** The options it has. */
export type ClusterRotateFlags = typeof options;

/** `kubewright cluster rotate`: new keys for a cluster. */
export const clusterRotateCommand = defineCommand({
  example: "kubewright cluster rotate authority --data-dir ./data",
  options,
  positionals: {
    usage: "[authority] [service-account-key] [token]",
    choices: ["authority", "service-account-key", "token"],
  },
  load: async () => (await import("../actions/cluster-rotate.js")).clusterRotateAction,
});
