// Options that several commands have.
import type { Option, Options } from "../command.js";

/** Which cluster is meant. */
export const contextOptions = {
  kubeconfig: { type: "string", value: "FILE", description: "the kubeconfig (as kubectl chooses)" },
  context: { type: "string", value: "NAME", description: "the context of the kubeconfig (its current one)" },
} as const satisfies Options;

/** Where a deployed manager is. */
export const deployedOptions = {
  namespace: {
    type: "string",
    short: "n",
    value: "NAME",
    description: "where the manager runs (kubewright.namespace of package.json, or NAME-system)",
  },
} as const satisfies Options;

/** How the log of an operator is shown. */
export const logOptions = {
  "log-level": {
    type: "string",
    value: "LEVEL",
    choices: ["debug", "info", "warn", "error"],
    description: "debug, info, warn or error (info)",
  },
  "log-format": {
    type: "string",
    value: "FORMAT",
    choices: ["text", "json"],
    description: "text or json (text on a terminal)",
  },
} as const satisfies Options;

/** Where webhooks are served by an operator that runs from source. */
export const webhookPortOption = {
  "webhook-port": {
    type: "string",
    value: "PORT",
    description: "where webhooks are served; ENABLE_WEBHOOKS=false for nowhere (a free one)",
  },
} as const satisfies Options;

/** The option `--output` of commands whose result a program may want. */
export const outputOption = {
  type: "string",
  short: "o",
  value: "FORMAT",
  choices: ["text", "json", "yaml"],
  description: "text for people; json or yaml for programs (text)",
} as const satisfies Option;

/** Which kind is meant. */
export const kindOptions = {
  group: { type: "string", value: "G", description: "the group, without the domain of the project" },
  version: { type: "string", value: "V", description: "the version, such as v1 or v1alpha1" },
  kind: { type: "string", value: "K", description: "the kind, such as ModelBox" },
  "api-version": { type: "string", value: "G/V", description: "group, in full, and version in one" },
} as const satisfies Options;
