import { relative } from "node:path";
import { defineCommand, exitStatus, type Options, UsageError } from "../command.js";
import { printResult } from "../output.js";
import { ask, canAsk } from "../scaffold/ask.js";
import { featureNames, featuresText } from "../scaffold/features.js";
import { initProject, projectNameFor, refuseOccupied } from "../scaffold/init-project.js";
import { checkDomain, checkProjectName, defaultDomain } from "../scaffold/names.js";
import { projectTemplates } from "../scaffold/project-templates.js";
import { manifestsStep, report } from "../scaffold/report.js";
import { shellWord } from "../shell-word.js";
import { outputOption } from "./shared-options.js";

const options = {
  domain: {
    type: "string",
    value: "D",
    description: `the domain of all API groups of the project (default: ${defaultDomain})`,
  },
  "project-name": {
    type: "string",
    value: "NAME",
    description: "the name of the operator (default: the name of the directory)",
  },
  template: {
    type: "string",
    value: "NAME",
    choices: projectTemplates,
    description: "minimal, or app: a kind with a Deployment, a Service and an Ingress (default: minimal)",
  },
  owner: { type: "string", value: "NAME", description: "the author, for package.json" },
  repo: { type: "string", value: "URL", description: "the URL of the repository, for package.json" },
  with: { type: "string", value: "A,B", description: `also scaffold: ${featuresText}` },
  yes: { type: "boolean", short: "y", description: "do not prompt; accept the defaults" },
  force: {
    type: "boolean",
    description: "write into a directory that is not empty, overwriting existing files",
  },
  output: outputOption,
} as const satisfies Options;

/** `kubewright init`: a new project. */
export const initCommand = defineCommand({
  example:
    "kubewright init my-operator --domain example.com\ncd my-operator && kubewright create api --group shop --version v1 --kind Order && npm install && npm test",
  positionals: { usage: "[dir]", most: 1 },
  options,
  async run({ values, positionals: [directory = "."] }) {
    const { owner, repo, force = false } = values;
    const features = featureNames(values.with);
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
    const result = await initProject({
      directory,
      domain,
      projectName,
      template,
      owner,
      repo,
      features,
      force,
    });
    const folder = relative(process.cwd(), result.directory);
    const next = [
      ...(folder === "" ? [] : [`cd ${shellWord(folder)}`]),
      "npm install",
      ...(template === "app" ? [] : ["npx kubewright create api --group GROUP --version v1 --kind KIND"]),
      "npm test",
      manifestsStep,
    ];
    await printResult(values.output, { ...result, domain, next }, () =>
      [
        `${result.projectName}, with kinds in groups of ${domain}:`,
        report(result.directory, { ...result, manual: [] }, next),
      ].join("\n"),
    );
    return exitStatus.done;
  },
});

function checkTemplate(name: string): void {
  if (!projectTemplates.some((each) => each === name))
    throw new UsageError(`one of ${projectTemplates.join(", ")} is needed`);
}
