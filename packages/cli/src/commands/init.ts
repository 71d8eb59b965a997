import { relative } from "node:path";
import { defineCommand, exitStatus } from "../command.js";
import { outputOption, printResult } from "../output.js";
import { ask, canAsk } from "../scaffold/ask.js";
import { initProject, projectNameFor, projectTemplates } from "../scaffold/init-project.js";
import { checkDomain, checkProjectName } from "../scaffold/names.js";
import { report } from "../scaffold/report.js";

const defaultDomain = "example.com";

/** `kubewright init`: a new project. */
export const initCommand = defineCommand({
  example:
    "kubewright init my-operator --domain example.com\ncd my-operator && kubewright create api --group shop --version v1 --kind Order && npm install && npm test",
  positionals: { usage: "[dir]", most: 1 },
  options: {
    domain: {
      type: "string",
      value: "D",
      description: `the end of every group of the project (${defaultDomain})`,
    },
    "project-name": {
      type: "string",
      value: "NAME",
      description: "the operator's name (that of the folder)",
    },
    template: {
      type: "string",
      value: "NAME",
      choices: projectTemplates,
      description: "minimal, or app: a kind with a Deployment, a Service and an Ingress (minimal)",
    },
    owner: { type: "string", value: "NAME", description: "whose it is, for package.json" },
    repo: { type: "string", value: "URL", description: "where its sources will be, for package.json" },
    yes: { type: "boolean", short: "y", description: "ask nothing" },
    force: { type: "boolean", description: "write into a folder that is not empty, over what is in the way" },
    output: outputOption,
  },
  async run({ values, positionals: [directory = "."] }) {
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
  },
});
