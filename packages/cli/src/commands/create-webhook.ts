import { defineCommand, exitStatus, type Options } from "../command.js";
import { printResult } from "../output.js";
import { createWebhook } from "../scaffold/create-webhook.js";
import { findProject } from "../scaffold/project-file.js";
import { manifestsStep, report } from "../scaffold/report.js";
import { kindOptions, outputOption } from "./shared-options.js";

const options = {
  ...kindOptions,
  defaulting: { type: "boolean", description: "add a defaulting webhook" },
  "programmatic-validation": { type: "boolean", description: "alias of --validation, as in kubebuilder" },
  validation: { type: "boolean", description: "add a validating webhook" },
  conversion: { type: "boolean", description: "add conversion between the versions of the kind" },
  force: { type: "boolean", description: "overwrite existing files" },
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
    const next = ["npm test", manifestsStep];
    await printResult(values.output, { directory: found.directory, ...result, next }, () =>
      report(found.directory, result, next),
    );
    return exitStatus.done;
  },
});
