import { defineCommand, exitStatus, type Options } from "../command.js";
import { refreshManifests } from "../manifests/refresh.js";
import { printResult } from "../output.js";
import { deleteApi } from "../scaffold/delete-api.js";
import { findProject } from "../scaffold/project-file.js";
import { kindOptions, outputOption } from "./shared-options.js";

const options = {
  ...kindOptions,
  force: { type: "boolean", description: "delete files that were edited since, too" },
  output: outputOption,
} as const satisfies Options;

/** `kubewright delete api`: takes back what `create api` and `create webhook` made. */
export const deleteApiCommand = defineCommand({
  example: "kubewright delete api --group shop --version v1 --kind Order",
  options,
  async run({ values }) {
    const found = findProject();
    const result = await deleteApi(found, values);
    const config = await refreshManifests(found.directory);
    await printResult(values.output, { directory: found.directory, ...result, config }, () =>
      [
        ...result.removed.map((path) => `  deleted   ${path}`),
        ...result.edited.map((path) => `  changed   ${path}`),
        `  ${config}`,
        ...result.manual.map((line) => `to do by hand: ${line}`),
        "objects and the CRD stay on clusters; kubectl delete crd takes them away",
      ].join("\n"),
    );
    return exitStatus.done;
  },
});
