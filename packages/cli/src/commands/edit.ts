import { defineCommand, exitStatus, type Options, UsageError } from "../command.js";
import { manifestSettings } from "../manifests/manifest-settings.js";
import { refreshManifests } from "../manifests/refresh.js";
import { printResult } from "../output.js";
import { editProject } from "../scaffold/edit-project.js";
import { featureNames, featuresText } from "../scaffold/features.js";
import { findProject } from "../scaffold/project-file.js";
import { report } from "../scaffold/report.js";
import { outputOption } from "./shared-options.js";

const options = {
  multigroup: {
    type: "boolean",
    description: "a folder for every group under src/api; kinds are moved there",
  },
  namespaced: {
    type: "boolean",
    description: "the manager watches its own namespace only; --namespaced=false for the whole cluster",
  },
  namespaces: { type: "string", value: "A,B", description: "the manager watches these namespaces only" },
  with: { type: "string", value: "A,B", description: `what to add: ${featuresText}` },
  force: { type: "boolean", description: "overwrite existing files" },
  output: outputOption,
} as const satisfies Options;

/** `kubewright edit`: changes what was decided when the project was made. */
export const editCommand = defineCommand({
  example: "kubewright edit --multigroup\nkubewright edit --namespaced\nkubewright edit --with e2e,release",
  options,
  async run({ values }) {
    const { multigroup, namespaced, namespaces, with: added, force } = values;
    if ([multigroup, namespaced, namespaces, added].every((value) => value === undefined))
      throw new UsageError("say what: --multigroup, --namespaced, --namespaces or --with");
    if (namespaces !== undefined && namespaced !== undefined)
      throw new UsageError("--namespaced and --namespaces exclude each other");
    const found = findProject();
    const { directory, project } = found;
    const own = () => manifestSettings(directory, project.projectName).namespace;
    const watched =
      namespaced === undefined ? namespaces?.split(",").filter(Boolean) : namespaced ? [own()] : [];
    const features = featureNames(added);
    const result = editProject(found, { multigroup, namespaces: watched, features, force });
    const config = await refreshManifests(directory);
    await printResult(values.output, { directory, ...result, config }, () =>
      result.changes.length + result.manual.length === 0
        ? "nothing changed"
        : [report(directory, result, []), `  ${config}`].join("\n"),
    );
    return exitStatus.done;
  },
});
