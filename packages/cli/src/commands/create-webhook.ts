import { defineCommand, exitStatus, type Options } from "../command.js";
import { printResult } from "../output.js";
import { createWebhook } from "../scaffold/create-webhook.js";
import { findProject } from "../scaffold/project-file.js";
import { report } from "../scaffold/report.js";
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

/** `kubewright create webhook`: what the API server asks the operator about a kind. */
export const createWebhookCommand = defineCommand({
  example: "kubewright create webhook --group shop --version v1 --kind Order --defaulting --validation",
  options,
  async run({ values }) {
    const found = findProject();
    const validation = values.validation ?? values["programmatic-validation"];
    const result = await createWebhook(found, { ...values, validation });
    const next = ["npm test", "npx kubewright manifests"];
    await printResult(values.output, { directory: found.directory, ...result, next }, () =>
      report(found.directory, result, next),
    );
    return exitStatus.done;
  },
});
