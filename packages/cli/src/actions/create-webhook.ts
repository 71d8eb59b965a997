import { type Action, exitStatus } from "../command.js";
import type { CreateWebhookFlags } from "../commands/create-webhook.js";
import { printResult } from "../output.js";
import { createWebhook } from "../scaffold/create-webhook.js";
import { findProject } from "../scaffold/project-file.js";
import { report } from "../scaffold/report.js";

/** Does what `kubewright create webhook` says. */
export const createWebhookAction: Action<CreateWebhookFlags> = async ({ values }) => {
  const found = findProject();
  const validation = values.validation ?? values["programmatic-validation"];
  const result = await createWebhook(found, { ...values, validation });
  const next = ["npm test", "npx kubewright manifests"];
  await printResult(values.output, { directory: found.directory, ...result, next }, () =>
    report(found.directory, result, next),
  );
  return exitStatus.done;
};
