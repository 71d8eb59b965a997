// Options that several commands have.
import type { Option, Options } from "../command.js";

/** Which cluster is meant. */
export const contextOptions = {
  kubeconfig: {
    type: "string",
    value: "FILE",
    description: "the kubeconfig to use (default: as kubectl does)",
  },
  context: {
    type: "string",
    value: "NAME",
    description: "the context to use (default: the current context)",
  },
} as const satisfies Options;

/** Where a deployed manager is. */
export const deployedOptions = {
  namespace: {
    type: "string",
    short: "n",
    value: "NAME",
    description:
      "the namespace of the manager (default: kubewright.namespace in package.json, else NAME-system)",
  },
} as const satisfies Options;

/** How the log of an operator is shown. */
export const logOptions = {
  "log-level": {
    type: "string",
    value: "LEVEL",
    choices: ["debug", "info", "warn", "error"],
    description: "debug, info, warn or error (default: info)",
  },
  "log-format": {
    type: "string",
    value: "FORMAT",
    choices: ["text", "json"],
    description: "text or json (default: text on a terminal, else json)",
  },
} as const satisfies Options;

/** Where webhooks are served by an operator that runs from source. */
export const webhookPortOption = {
  "webhook-port": {
    type: "string",
    value: "PORT",
    description: "the port for webhooks (default: a free port); ENABLE_WEBHOOKS=false turns them off",
  },
} as const satisfies Options;

/** The option `--output` of commands whose result a program may want. */
export const outputOption = {
  type: "string",
  short: "o",
  value: "FORMAT",
  choices: ["text", "json", "yaml"],
  description: "text, json or yaml (default: text)",
} as const satisfies Option;

/** Which kind is meant. */
export const kindOptions = {
  group: { type: "string", value: "G", description: "the API group, without the domain of the project" },
  version: { type: "string", value: "V", description: "the version, such as v1 or v1alpha1" },
  kind: { type: "string", value: "K", description: "the kind, such as ModelBox" },
  "api-version": {
    type: "string",
    value: "G/V",
    description: "the full API group and version, instead of --group and --version",
  },
} as const satisfies Options;
