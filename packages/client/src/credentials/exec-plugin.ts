// Credentials from a program, as `exec` of a kubeconfig names one: it receives the cluster in an environment
// variable and prints a credential. What it prints is a secret and is never repeated in an error.
import { type Clock, isObject, systemClock } from "@kubewright/api";
import { ConfigError } from "../config-error.js";
import type { ExecConfig } from "../kubeconfig/kubeconfig.js";
import { bearer, type Credential, type Credentials } from "./credentials.js";
import { runProgram } from "./run-program.js";

/** Options of credentials from an exec plugin. */
export interface ExecPluginOptions {
  readonly config: ExecConfig;
  /** The cluster info for the plugin, if its configuration asks for that (`provideClusterInfo`). */
  readonly cluster?: (() => Promise<Readonly<Record<string, unknown>>>) | undefined;
  /** The variables the plugin inherits. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** A person sits at the terminal and may be asked. */
  readonly interactive?: boolean | undefined;
  readonly clock?: Clock | undefined;
  /** The timeout of a plugin that asks no person for input. */
  readonly timeout?: number | undefined;
}

interface Issued {
  readonly credential: Credential;
  readonly expires: number;
}

const versions = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"];

/** Runs the plugin when there is no credential, when it has expired, and when the server refuses it. */
export function execCredentials(options: ExecPluginOptions): Credentials {
  const clock = options.clock ?? systemClock;
  const interactive = checkedMode(options);
  let issued: Issued | undefined;
  let running: Promise<Issued> | undefined;
  const run = async (): Promise<Issued> => {
    running ??= issue(options, interactive).finally(() => {
      running = undefined;
    });
    issued = await running;
    return issued;
  };
  return {
    async current() {
      const valid = issued !== undefined && clock.now() < issued.expires;
      return (valid && issued ? issued : await run()).credential;
    },
    async renew(rejected) {
      if (issued?.credential === rejected) await run();
      return true;
    },
  };
}

function checkedMode({ config, interactive = false }: ExecPluginOptions): boolean {
  if (!versions.includes(config.apiVersion)) {
    throw new ConfigError(`exec plugin ${config.command}: apiVersion ${config.apiVersion} is not supported`);
  }
  if (config.interactiveMode === "Always" && !interactive) {
    throw new ConfigError(`exec plugin ${config.command} needs a terminal (interactiveMode: Always)`);
  }
  return interactive && config.interactiveMode !== "Never";
}

async function issue(options: ExecPluginOptions, interactive: boolean): Promise<Issued> {
  const { config, cluster, env, timeout = 60_000 } = options;
  const info = {
    apiVersion: config.apiVersion,
    kind: "ExecCredential",
    spec: { interactive, ...(config.provideClusterInfo && cluster && { cluster: await cluster() }) },
  };
  const output = await runProgram({
    what: "exec plugin",
    command: config.command,
    args: config.args,
    env: { ...env, ...config.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
    installHint: config.installHint,
    interactive,
    timeout: interactive ? undefined : timeout,
  });
  return readCredential(config, output);
}

function readCredential(config: ExecConfig, output: string): Issued {
  const fail = (problem: string): ConfigError => new ConfigError(`exec plugin ${config.command}: ${problem}`);
  let answer: unknown;
  try {
    answer = JSON.parse(output);
  } catch {
    throw fail("what it printed is not JSON");
  }
  if (!isObject(answer) || answer["kind"] !== "ExecCredential" || !isObject(answer["status"])) {
    throw fail("what it printed is not an ExecCredential with a status");
  }
  if (answer["apiVersion"] !== config.apiVersion) throw fail(`it must answer in ${config.apiVersion}`);
  const status = answer["status"];
  const token = textOf(status["token"]);
  const certificate = certificateOf(status, fail);
  if (token === undefined && certificate === undefined)
    throw fail("it issued neither a token nor a certificate");
  const credential = { ...(token !== undefined && bearer(token)), ...(certificate && { certificate }) };
  return { credential, expires: expiryOf(status, fail) };
}

function certificateOf(status: Readonly<Record<string, unknown>>, fail: (problem: string) => Error) {
  const cert = textOf(status["clientCertificateData"]);
  const key = textOf(status["clientKeyData"]);
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw fail("it issued a certificate without its key, or a key alone");
  return { cert, key };
}

/** Without an expiry the credential is good until the server refuses it. */
function expiryOf(status: Readonly<Record<string, unknown>>, fail: (problem: string) => Error): number {
  const text = textOf(status["expirationTimestamp"]);
  if (text === undefined) return Number.POSITIVE_INFINITY;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw fail("expirationTimestamp is not a time");
  return time;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
