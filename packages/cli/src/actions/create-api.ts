import { type Action, exitStatus } from "../command.js";
import type { CreateApiFlags } from "../commands/create-api.js";
import { printResult } from "../output.js";
import { createApi } from "../scaffold/create-api.js";
import { findProject } from "../scaffold/project-file.js";
import { report } from "../scaffold/report.js";

/** Does what `kubewright create api` says. */
export const createApiAction: Action<CreateApiFlags> = async ({ values }) => {
  const found = findProject();
  const result = await createApi(found, values);
  const next = ["npm test", "npx kubewright manifests"];
  await printResult(values.output, { directory: found.directory, ...result, next }, () =>
    report(found.directory, result, next),
  );
  return exitStatus.done;
};
