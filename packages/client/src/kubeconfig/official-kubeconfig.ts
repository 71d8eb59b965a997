// People who already hold a KubeConfig of the official JavaScript client may hand it over. It is recognised by its shape;
// that package is not needed. Its methods load files and run plugins, so what they give is kept for a while.
import { type Clock, systemClock } from "@kubewright/api";
import { ConfigError } from "../config-error.js";
import type { Credential, Credentials } from "../credentials/credentials.js";
import { impersonationHeaders } from "../credentials/impersonation.js";
import type { ContextOptions, ResolvedContext } from "./context-transport.js";

/** The part of the official client's KubeConfig that is used. */
export interface OfficialKubeConfig {
  getCurrentContext(): string;
  getContextObject(name: string): { readonly namespace?: string | undefined } | null;
  getCurrentCluster(): OfficialCluster | null;
  applyToHTTPSOptions(options: object): Promise<void>;
}

export interface OfficialCluster {
  readonly name: string;
  readonly server: string;
  readonly skipTLSVerify?: boolean | undefined;
  readonly tlsServerName?: string | undefined;
  readonly proxyUrl?: string | undefined;
}

/** True for an object with the methods of the official client's KubeConfig. */
export function isOfficialKubeConfig(config: object): config is OfficialKubeConfig {
  return "applyToHTTPSOptions" in config && typeof config.applyToHTTPSOptions === "function";
}

/** The kubeconfig of the official client, with its current context. */
export function officialContext(config: OfficialKubeConfig, options: ContextOptions = {}): ResolvedContext {
  const { clock = systemClock, impersonate } = options;
  const cluster = config.getCurrentCluster();
  if (cluster === null)
    throw new ConfigError("the KubeConfig has no current cluster; set its current context");
  const context = config.getContextObject(config.getCurrentContext());
  const source = new OfficialCredentials(config, clock);
  return {
    namespace: context?.namespace ?? "default",
    transport: {
      server: cluster.server,
      cluster: `cluster ${cluster.name} (${cluster.server})`,
      ca: () => source.ca(),
      serverName: cluster.tlsServerName,
      insecureSkipTlsVerify: cluster.skipTLSVerify,
      proxyUrl: cluster.proxyUrl,
      credentials: source,
      headers: impersonate && impersonationHeaders(impersonate),
      clock,
    },
  };
}

/** The options the official client fills in for an HTTPS request. */
interface FilledOptions {
  headers?: Record<string, string>;
  auth?: string;
  ca?: string | Buffer;
  cert?: string | Buffer;
  key?: string | Buffer;
}

const keptFor = 30_000;

class OfficialCredentials implements Credentials {
  readonly #config: OfficialKubeConfig;
  readonly #clock: Clock;
  #filled: Promise<FilledOptions> | undefined;
  #filledAt = 0;
  #credential: Credential | undefined;

  constructor(config: OfficialKubeConfig, clock: Clock) {
    this.#config = config;
    this.#clock = clock;
  }

  async current(): Promise<Credential> {
    const { headers, auth, cert, key } = await this.#fill();
    const basic =
      auth === undefined ? {} : { authorization: `Basic ${Buffer.from(auth).toString("base64")}` };
    this.#credential ??= {
      headers: { ...basic, ...lowerCase(headers ?? {}) },
      ...(cert && key && { certificate: { cert: String(cert), key: String(key) } }),
    };
    return this.#credential;
  }

  async renew(): Promise<boolean> {
    this.#filled = undefined;
    return true;
  }

  async ca(): Promise<string | undefined> {
    const { ca } = await this.#fill();
    return ca === undefined ? undefined : String(ca);
  }

  #fill(): Promise<FilledOptions> {
    const now = this.#clock.monotonic();
    if (this.#filled && now - this.#filledAt < keptFor) return this.#filled;
    const options: FilledOptions = { headers: {} };
    this.#filledAt = now;
    this.#credential = undefined;
    this.#filled = this.#config.applyToHTTPSOptions(options).then(
      () => options,
      (cause: unknown) => {
        this.#filled = undefined;
        throw new ConfigError("the KubeConfig could not provide its credentials", { cause });
      },
    );
    return this.#filled;
  }
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
