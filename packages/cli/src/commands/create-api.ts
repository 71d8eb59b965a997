import { defineCommand, type Options } from "../command.js";
import { projectTemplates } from "../scaffold/project-templates.js";
import { kindOptions, outputOption } from "./shared-options.js";

const options = {
  ...kindOptions,
  plural: { type: "string", value: "P", description: "the plural (the English one)" },
  namespaced: {
    type: "boolean",
    description: "objects live in namespaces; --namespaced=false for the cluster (true)",
  },
  resource: { type: "boolean", description: "write the kind (true, but for kinds of Kubernetes)" },
  controller: { type: "boolean", description: "write a controller (true)" },
  template: {
    type: "string",
    value: "NAME",
    choices: projectTemplates,
    description: "minimal, or app: a Deployment, a Service and an Ingress (minimal)",
  },
  force: { type: "boolean", description: "overwrite files that are there" },
  output: outputOption,
} as const satisfies Options;

/** The options it has. */
export type CreateApiFlags = typeof options;

/** `kubewright create api`: a kind and its controller. */
export const createApiCommand = defineCommand({
  example:
    "kubewright create api --group shop --version v1 --kind Order\nkubewright create api --group apps --version v1 --kind Deployment   # a controller for a built-in kind",
  options,
  load: async () => (await import("../actions/create-api.js")).createApiAction,
});
