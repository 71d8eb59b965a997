import { defineCommand, type Options } from "../command.js";
import { defaultDomain } from "../scaffold/names.js";
import { projectTemplates } from "../scaffold/project-templates.js";
import { outputOption } from "./shared-options.js";

const options = {
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
} as const satisfies Options;

/** The options it has. */
export type InitFlags = typeof options;

/** `kubewright init`: a new project. */
export const initCommand = defineCommand({
  example:
    "kubewright init my-operator --domain example.com\ncd my-operator && kubewright create api --group shop --version v1 --kind Order && npm install && npm test",
  positionals: { usage: "[dir]", most: 1 },
  options,
  load: async () => (await import("../actions/init.js")).initAction,
});
