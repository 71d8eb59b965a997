// From the current context of a kubeconfig to the options of a transport.
import { type Clock, systemClock } from "@kubewright/api";
import { ConfigError } from "../config-error.js";
import { pemReader } from "../credentials/client-certificate.js";
import { impersonationHeaders } from "../credentials/impersonation.js";
import type { UndiciTransportOptions } from "../transport/undici-transport.js";
import type { Impersonation, KubeCluster, KubeConfig } from "./kubeconfig.js";
import { userCredentials } from "./user-credentials.js";

export interface ContextOptions {
  /** Acts as somebody else, whatever the kubeconfig says. */
  readonly impersonate?: Impersonation | undefined;
  /** A person sits at the terminal, whom an exec plugin may ask. */
  readonly interactive?: boolean | undefined;
  readonly clock?: Clock | undefined;
}

/** A context resolved: whom to connect to, as whom, and where calls go by default. */
export interface ResolvedContext {
  readonly transport: UndiciTransportOptions;
  readonly namespace: string;
}

/** Follows the current context to its cluster and user. */
export function resolveContext(config: KubeConfig, options: ContextOptions = {}): ResolvedContext {
  const { clock = systemClock, interactive = false } = options;
  const source = config.files.join(", ");
  const name = config.currentContext;
  if (name === undefined) throw new ConfigError(`${source}: no current-context; ${choice(config)}`);
  const context = config.contexts.get(name);
  if (!context)
    throw new ConfigError(`${source}: there is no context ${JSON.stringify(name)}; ${choice(config)}`);
  const cluster = config.clusters.get(context.cluster);
  if (!cluster) throw missing(source, name, "cluster", context.cluster);
  const user = context.user === "" ? {} : config.users.get(context.user);
  if (!user) throw missing(source, name, "user", context.user);
  const userName = `${source}: user ${JSON.stringify(context.user)}`;
  const impersonate = options.impersonate ?? user.impersonate;
  return {
    namespace: context.namespace ?? "default",
    transport: {
      ...clusterOptions(
        `${source}: cluster ${JSON.stringify(context.cluster)}`,
        context.cluster,
        cluster,
        clock,
      ),
      credentials: userCredentials(user, {
        name: userName,
        cluster,
        clock,
        env: config.env ?? {},
        interactive,
      }),
      headers: impersonate && impersonationHeaders(impersonate),
    },
  };
}

function clusterOptions(
  where: string,
  name: string,
  cluster: KubeCluster,
  clock: Clock,
): UndiciTransportOptions {
  if (cluster.server === "") throw new ConfigError(`${where}: server is missing`);
  if (cluster.insecureSkipTlsVerify && cluster.ca) {
    throw new ConfigError(`${where}: insecure-skip-tls-verify and certificate-authority exclude each other`);
  }
  if (!URL.canParse(cluster.server)) throw new ConfigError(`${where}: server is not an address`);
  return {
    server: cluster.server,
    cluster: `cluster ${name} (${new URL(cluster.server).origin})`,
    ca: cluster.ca && pemReader(cluster.ca, "certificate authority", clock),
    serverName: cluster.tlsServerName,
    insecureSkipTlsVerify: cluster.insecureSkipTlsVerify,
    proxyUrl: cluster.proxyUrl,
    compression: cluster.disableCompression !== true,
    clock,
  };
}

function missing(source: string, context: string, what: string, name: string): ConfigError {
  return new ConfigError(
    `${source}: context ${JSON.stringify(context)} names the ${what} ${JSON.stringify(name)}, which is not there`,
  );
}

function choice(config: KubeConfig): string {
  const names = [...config.contexts.keys()];
  return names.length === 0 ? "it has no contexts" : `choose one of ${names.slice(0, 10).join(", ")}`;
}
