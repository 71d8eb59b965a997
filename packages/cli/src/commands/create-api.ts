import { defineCommand, exitStatus, type Options, UsageError, type ValuesOf } from "../command.js";
import { printResult } from "../output.js";
import { ask, canAsk } from "../scaffold/ask.js";
import { createApi } from "../scaffold/create-api.js";
import { checkGroup, checkKind, checkVersion } from "../scaffold/names.js";
import { findProject } from "../scaffold/project-file.js";
import { projectTemplates } from "../scaffold/project-templates.js";
import { manifestsStep, report } from "../scaffold/report.js";
import { kindOptions, outputOption } from "./shared-options.js";

const options = {
  ...kindOptions,
  plural: { type: "string", value: "P", description: "the plural of the kind (default: its English plural)" },
  namespaced: {
    type: "boolean",
    description: "namespaced objects; --namespaced=false for cluster-scoped ones (default: true)",
  },
  resource: { type: "boolean", description: "scaffold the kind (default: true, false for built-in kinds)" },
  controller: { type: "boolean", description: "scaffold a controller (default: true)" },
  template: {
    type: "string",
    value: "NAME",
    choices: projectTemplates,
    description: "minimal, or app: a Deployment, a Service and an Ingress (default: minimal)",
  },
  force: { type: "boolean", description: "overwrite existing files" },
  output: outputOption,
} as const satisfies Options;

type CreateApiFlags = typeof options;
/** `kubewright create api`: a kind and its controller. */
export const createApiCommand = defineCommand({
  example:
    "kubewright create api --group shop --version v1 --kind Order\nkubewright create api --group apps --version v1 --kind Deployment   # a controller for a built-in kind",
  options,
  async run({ values }) {
    const found = findProject();
    const result = await createApi(found, { ...values, ...(await answers(values)) });
    const next = ["npm test", manifestsStep];
    await printResult(values.output, { directory: found.directory, ...result, next }, () =>
      report(found.directory, result, next),
    );
    return exitStatus.done;
  },
});

/** What names a kind and was not given is asked for, where there is somebody to ask. */
async function answers({ group, version, kind, "api-version": both }: ValuesOf<CreateApiFlags>) {
  if (!canAsk() || both !== undefined) return {};
  return {
    group: group ?? (await ask("Group, without the domain", "", checkGiven(checkGroup))),
    version: version ?? (await ask("Version", "v1", checkVersion)),
    kind: kind ?? (await ask("Kind, such as ModelBox", "", checkKind)),
  };
}

const checkGiven =
  (check: (answer: string) => void) =>
  (answer: string): void => {
    if (answer === "") throw new UsageError("something is needed, such as shop");
    check(answer);
  };
