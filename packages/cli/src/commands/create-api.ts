import { defineCommand, exitStatus, type Options } from "../command.js";
import { outputOption, printResult } from "../output.js";
import { createApi } from "../scaffold/create-api.js";
import { projectTemplates } from "../scaffold/init-project.js";
import { findProject } from "../scaffold/project-file.js";
import { report } from "../scaffold/report.js";

/** The options that name a kind, of every command that does. */
export const kindOptions = {
  group: { type: "string", value: "G", description: "the group, without the domain of the project" },
  version: { type: "string", value: "V", description: "the version, such as v1 or v1alpha1" },
  kind: { type: "string", value: "K", description: "the kind, such as ModelBox" },
  "api-version": { type: "string", value: "G/V", description: "group, in full, and version in one" },
} as const satisfies Options;

/** `kubewright create api`: a kind and its controller. */
export const createApiCommand = defineCommand({
  example:
    "kubewright create api --group shop --version v1 --kind Order\nkubewright create api --group apps --version v1 --kind Deployment   # a controller for a built-in kind",
  options: {
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
  },
  async run({ values }) {
    const found = findProject();
    const result = await createApi(found, values);
    const next = ["npm test", "npx kubewright manifests"];
    await printResult(values.output, { directory: found.directory, ...result, next }, () =>
      report(found.directory, result, next),
    );
    return exitStatus.done;
  },
});
