import { relative } from "node:path";
import { type Action, exitStatus, UsageError } from "../command.js";
import type { InitFlags } from "../commands/init.js";
import { printResult } from "../output.js";
import { ask, canAsk } from "../scaffold/ask.js";
import { initProject, projectNameFor, refuseOccupied } from "../scaffold/init-project.js";
import { checkDomain, checkProjectName, defaultDomain } from "../scaffold/names.js";
import { projectTemplates } from "../scaffold/project-templates.js";
import { report } from "../scaffold/report.js";

/** Does what `kubewright init` says. */
export const initAction: Action<InitFlags> = async ({ values, positionals: [directory = "."] }) => {
  const { owner, repo, force = false } = values;
  refuseOccupied(directory, force);
  const asks = !values.yes && canAsk();
  const answer = async (
    given: string | undefined,
    question: string,
    fallback: string,
    check: (answer: string) => void,
  ): Promise<string> => given ?? (asks ? ask(question, fallback, check) : fallback);
  const domain = await answer(values.domain, "Domain of its groups", defaultDomain, checkDomain);
  const projectName = await answer(
    values["project-name"],
    "Name of the project",
    projectNameFor(directory),
    checkProjectName,
  );
  const [minimal] = projectTemplates;
  const template = await answer(values.template, "Template, minimal or app", minimal, checkTemplate);
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

function checkTemplate(name: string): void {
  if (!projectTemplates.some((each) => each === name))
    throw new UsageError(`one of ${projectTemplates.join(", ")} is needed`);
}
