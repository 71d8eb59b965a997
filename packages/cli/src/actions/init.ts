import { relative } from "node:path";
import { type Action, exitStatus } from "../command.js";
import type { InitFlags } from "../commands/init.js";
import { defaultDomain } from "../commands/init.js";
import { printResult } from "../output.js";
import { ask, canAsk } from "../scaffold/ask.js";
import { initProject, projectNameFor } from "../scaffold/init-project.js";
import { checkDomain, checkProjectName } from "../scaffold/names.js";
import { report } from "../scaffold/report.js";

/** Does what `kubewright init` says. */
export const initAction: Action<InitFlags> = async ({ values, positionals: [directory = "."] }) => {
  const asks = !values.yes && canAsk();
  const domain =
    values.domain ?? (asks ? await ask("Domain of its groups", defaultDomain, checkDomain) : defaultDomain);
  const named = values["project-name"];
  const projectName =
    named ??
    (asks ? await ask("Name of the project", projectNameFor(directory), checkProjectName) : undefined);
  const { template, owner, repo, force } = values;
  const result = await initProject({ directory, domain, projectName, template, owner, repo, force });
  const folder = relative(process.cwd(), result.directory);
  const next = [
    ...(folder === "" ? [] : [`cd ${folder}`]),
    "npm install",
    ...(template === "app" ? [] : ["npx kubewright create api --group GROUP --version v1 --kind KIND"]),
    "npm test",
  ];
  await printResult(values.output, { ...result, domain, next }, () =>
    [
      `${result.projectName}, with kinds in groups of ${domain}:`,
      report(result.directory, { ...result, manual: [] }, next),
    ].join("\n"),
  );
  return exitStatus.done;
};
