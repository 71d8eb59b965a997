import { defineCommand, type Options } from "../command.js";
import { outputOption } from "./shared-options.js";

const options = {
  check: { type: "boolean", description: "write nothing; fail and name the files when some are stale" },
  force: { type: "boolean", description: "overwrite generated files that were edited by hand" },
  helm: { type: "boolean", description: "a Helm chart, too (dist/chart)" },
  olm: { type: "boolean", description: "a bundle for the Operator Lifecycle Manager, too (bundle)" },
  image: {
    type: "string",
    value: "IMAGE",
    description: "the manager's image (kubewright.image of package.json)",
  },
  namespace: {
    type: "string",
    short: "n",
    value: "NAME",
    description: "where the manager runs (kubewright.namespace of package.json, or NAME-system)",
  },
  output: outputOption,
} as const satisfies Options;

/** The options it has. */
export type ManifestsFlags = typeof options;

/** `kubewright manifests`: writes what follows from the code, or says what is stale. */
export const manifestsCommand = defineCommand({
  example:
    "kubewright manifests\nkubewright manifests --check   # in CI: status 3 when something is stale\nkubectl apply -k config/default",
  options,
  load: async () => (await import("../actions/manifests.js")).manifestsAction,
});
