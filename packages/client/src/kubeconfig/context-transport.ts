// From the current context of a kubeconfig to the options of a transport.
import { type Clock, systemClock } from "@kubewright/api";
import { ConfigError } from "../config-error.js";
import { pemReader } from "../credentials/client-certificate.js";
import { impersonationHeaders } from "../credentials/impersonation.js";
import type { OidcTokens } from "../credentials/oidc.js";
import type { UndiciTransportOptions } from "../transport/undici-transport.js";
import { environmentProxy } from "./environment-proxy.js";
import type { Impersonation, KubeCluster, KubeConfig, KubeContext, KubeUser } from "./kubeconfig.js";
import { userCredentials } from "./user-credentials.js";

/** Options of connecting with a context of a kubeconfig. */
export interface ContextOptions {
  /** Impersonates another user, whatever the kubeconfig says. */
  readonly impersonate?: Impersonation | undefined;
  /** A person sits at the terminal, so an exec plugin may prompt. */
  readonly interactive?: boolean | undefined;
  /** Called with tokens an OIDC issuer renewed, to keep them for the next start: some refresh tokens work only once. */
  readonly onOidcTokens?: ((tokens: OidcTokens) => void) | undefined;
  readonly clock?: Clock | undefined;
}

/** A resolved context: the server to connect to, the user to connect as, and the default namespace. */
export interface ResolvedContext {
  readonly transport: UndiciTransportOptions;
  readonly namespace: string;
}

/** Follows the current context to its cluster and user. */
export function resolveContext(config: KubeConfig, options: ContextOptions = {}): ResolvedContext {
  const { clock = systemClock, interactive = false, onOidcTokens } = options;
  const { context, cluster, user } = select(config);
  const source = config.files.join(", ");
  const env = config.env ?? {};
  const name = `${source}: user ${JSON.stringify(context.user)}`;
  const impersonate = options.impersonate ?? user.impersonate;
  checkCluster(`${source}: cluster ${JSON.stringify(context.cluster)}`, cluster);
  return {
    namespace: context.namespace ?? "default",
    transport: {
      server: cluster.server,
      cluster: `cluster ${context.cluster} (${new URL(cluster.server).origin})`,
      ca: cluster.ca && pemReader(cluster.ca, "certificate authority", clock),
      serverName: cluster.tlsServerName,
      insecureSkipTlsVerify: cluster.insecureSkipTlsVerify,
      proxyUrl: cluster.proxyUrl ?? environmentProxy(cluster.server, env),
      compression: cluster.disableCompression !== true,
      credentials: userCredentials(user, { name, cluster, clock, env, interactive, onOidcTokens }),
      headers: impersonate && impersonationHeaders(impersonate),
      clock,
    },
  };
}

interface Selection {
  readonly context: KubeContext;
  readonly cluster: KubeCluster;
  readonly user: KubeUser;
}

function select(config: KubeConfig): Selection {
  const fail = (problem: string): ConfigError => new ConfigError(`${config.files.join(", ")}: ${problem}`);
  const name = config.currentContext;
  if (name === undefined) throw fail(`no current-context; ${choice(config)}`);
  const context = config.contexts.get(name);
  if (!context) throw fail(`there is no context ${JSON.stringify(name)}; ${choice(config)}`);
  const missing = (what: string, entry: string): ConfigError =>
    fail(`context ${JSON.stringify(name)} names the ${what} ${JSON.stringify(entry)}, which is not there`);
  const cluster = config.clusters.get(context.cluster);
  if (!cluster) throw missing("cluster", context.cluster);
  const user = context.user === "" ? {} : config.users.get(context.user);
  if (!user) throw missing("user", context.user);
  return { context, cluster, user };
}

function checkCluster(where: string, cluster: KubeCluster): void {
  if (cluster.server === "") throw new ConfigError(`${where}: server is missing`);
  if (!URL.canParse(cluster.server)) throw new ConfigError(`${where}: server is not an address`);
  if (cluster.insecureSkipTlsVerify && cluster.ca) {
    throw new ConfigError(`${where}: insecure-skip-tls-verify and certificate-authority exclude each other`);
  }
}

function choice(config: KubeConfig): string {
  const names = [...config.contexts.keys()];
  return names.length === 0 ? "it has no contexts" : `choose one of ${names.slice(0, 10).join(", ")}`;
}
