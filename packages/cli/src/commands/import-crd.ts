import { defineCommand, type Options } from "../command.js";
import { outputOption } from "./shared-options.js";

const options = {
  "from-cluster": {
    type: "string",
    value: "NAME,…",
    description: "definitions, or groups, of the current context",
  },
  kubeconfig: {
    type: "string",
    value: "FILE",
    description: "the cluster to read from (as kubectl chooses)",
  },
  context: {
    type: "string",
    value: "NAME",
    description: "the context of the kubeconfig (its current one)",
  },
  out: {
    type: "string",
    value: "DIR",
    description: "where to write (src/api/GROUP/VERSION of the project)",
  },
  force: { type: "boolean", description: "overwrite files that are there" },
  output: outputOption,
} as const satisfies Options;

/** The options it has. */
export type ImportCrdFlags = typeof options;

/** `kubewright import crd`: other people's kinds, typed as one's own. */
export const importCrdCommand = defineCommand({
  example:
    "kubewright import crd cert-manager.crds.yaml\nkubewright import crd --from-cluster certificates.cert-manager.io\nkubewright import crd --from-cluster gateway.networking.k8s.io   # every kind of the group",
  positionals: { usage: "[FILE…]" },
  options,
  load: async () => (await import("../actions/import-crd.js")).importCrdAction,
});
