// The flags of a manager's process, under the names of kubebuilder's projects.
import { type ParseArgsConfig, parseArgs } from "node:util";
import type { Environment } from "@kubewright/client";
import type { LogLevel } from "../logging/logger.js";
import { type MainSettings, parseBindAddress } from "./main-settings.js";

interface Flag {
  readonly type: "string" | "boolean";
  readonly value?: string;
  readonly description: string;
}

const flags: Readonly<Record<string, Flag>> = {
  kubeconfig: {
    type: "string",
    value: "FILE",
    description: "the kubeconfig to use (default: the service account of the pod, else as kubectl does)",
  },
  context: {
    type: "string",
    value: "NAME",
    description: "the context to use (default: the current context)",
  },
  namespace: {
    type: "string",
    value: "NAME",
    description: "the namespace of Leases and webhook certificates (default: that of the pod)",
  },
  "leader-elect": {
    type: "boolean",
    description: "enable leader election (default: as the manager defines it in a pod, off elsewhere)",
  },
  "health-probe-bind-address": {
    type: "string",
    value: "ADDR",
    description: "the address of the health probes; 0 turns them off (default: 0)",
  },
  "metrics-bind-address": {
    type: "string",
    value: "ADDR",
    description: "the address of the metrics endpoint; 0 turns it off (default: 0)",
  },
  "metrics-secure": {
    type: "boolean",
    description: "serve metrics over TLS, with authentication and authorization (default: on in a pod)",
  },
  "dashboard-bind-address": {
    type: "string",
    value: "ADDR",
    description:
      "the address of the dashboard, with TLS unless it is on loopback; 0 turns it off (default: 0)",
  },
  webhooks: { type: "boolean", description: "serve webhooks (default: on, unless ENABLE_WEBHOOKS is false)" },
  "webhook-host": {
    type: "string",
    value: "HOST",
    description: "the host under which the API server reaches webhooks outside a pod (default: 127.0.0.1)",
  },
  "webhook-port": { type: "string", value: "PORT", description: "the port for webhooks (default: 9443)" },
  "webhook-cert-path": {
    type: "string",
    value: "DIR",
    description: "the directory of tls.crt and tls.key (default: the manager issues its own)",
  },
  "webhook-drain-seconds": {
    type: "string",
    value: "N",
    description: "how many seconds a stopping pod still answers webhooks, at most 30 (default: 5)",
  },
  tune: {
    type: "boolean",
    description:
      "tune the process for little memory and a fast start, not for CPU-heavy reconciles (default: on)",
  },
  "log-level": {
    type: "string",
    value: "LEVEL",
    description: "debug, info, warn or error (default: LOG_LEVEL, else info)",
  },
  "log-format": {
    type: "string",
    value: "FORMAT",
    description: "text or json (default: text on a terminal, else json)",
  },
};

/** The text of `--help`. */
export function mainUsage(name: string): string {
  const rows = Object.entries(flags).map(([flag, { value, description }]) => {
    const left = value === undefined ? `--[no-]${flag}` : `--${flag} ${value}`;
    return `  ${left.padEnd(36)}${description}`;
  });
  return [`Usage: node main.js [flags]   (the manager "${name}")`, "", ...rows, ""].join("\n");
}

/** Parses flags and environment; undefined when help is asked for. Throws when they are not valid. */
export function parseMainSettings(argv: readonly string[], env: Environment): MainSettings | undefined {
  const options: NonNullable<ParseArgsConfig["options"]> = { help: { type: "boolean", short: "h" } };
  for (const [name, { type }] of Object.entries(flags)) options[name] = { type };
  const { values } = parseArgs({ args: argv.map(goStyle), options, allowNegative: true, strict: true });
  if (values["help"] === true) return undefined;
  const text = (name: string): string | undefined => stringOf(values[name]);
  const flag = (name: string): boolean | undefined => booleanOf(values[name]);
  const address = (name: string) => parseBindAddress(text(name) ?? "0");
  return {
    kubeconfig: text("kubeconfig"),
    context: text("context"),
    namespace: text("namespace") ?? (env["POD_NAMESPACE"] || undefined),
    leaderElection: flag("leader-elect"),
    health: address("health-probe-bind-address"),
    metrics: address("metrics-bind-address"),
    secureMetrics: flag("metrics-secure"),
    dashboard: address("dashboard-bind-address"),
    webhooks: flag("webhooks") ?? env["ENABLE_WEBHOOKS"] !== "false",
    webhookHost: text("webhook-host"),
    webhookPort: portOf(text("webhook-port")),
    webhookCertificates: text("webhook-cert-path"),
    webhookDrain: drainOf(text("webhook-drain-seconds")),
    tune: flag("tune"),
    logLevel: oneOf<LogLevel>("log-level", text("log-level") ?? env["LOG_LEVEL"], [
      "debug",
      "info",
      "warn",
      "error",
    ]),
    logFormat: oneOf("log-format", text("log-format"), ["text", "json"]),
  };
}

/** `--leader-elect=false`, as Go programs take it. */
function goStyle(argument: string): string {
  const [, name = "", value] = /^--([a-z-]+)=(true|false)$/.exec(argument) ?? [];
  if (flags[name]?.type !== "boolean") return argument;
  return value === "true" ? `--${name}` : `--no-${name}`;
}

type Value = string | boolean | undefined | readonly (string | boolean)[];

const stringOf = (value: Value): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

const booleanOf = (value: Value): boolean | undefined => (typeof value === "boolean" ? value : undefined);

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new Error(`--webhook-port ${text}: a number from 0 to 65535 is needed`);
}

/** Longer ones would outlast the grace period of the generated Deployment. */
const longestDrain = 30;

function drainOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (seconds >= 0 && seconds <= longestDrain) return seconds * 1_000;
  throw new Error(`--webhook-drain-seconds ${text}: a number from 0 to ${longestDrain} is needed`);
}

function oneOf<T extends string>(name: string, text: string | undefined, known: readonly T[]): T | undefined {
  if (text === undefined || text === "") return undefined;
  const found = known.find((word) => word === text);
  if (found === undefined) throw new Error(`--${name} ${text}: one of ${known.join(", ")} is needed`);
  return found;
}
