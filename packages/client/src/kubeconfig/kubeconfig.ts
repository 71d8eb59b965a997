// A kubeconfig, once it has been read and merged. Field names are those of the file in camel case.
import type { Pem } from "../credentials/client-certificate.js";

/** Clusters, users and the contexts that pair them. */
export interface KubeConfig {
  readonly currentContext: string | undefined;
  readonly contexts: ReadonlyMap<string, KubeContext>;
  readonly clusters: ReadonlyMap<string, KubeCluster>;
  readonly users: ReadonlyMap<string, KubeUser>;
  /** The files it was read from, for messages. */
  readonly files: readonly string[];
  /** The environment that exec plugins inherit. */
  readonly env?: Environment | undefined;
}

/** Environment variables, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A context entry of a kubeconfig: a cluster, a user and a namespace. */
export interface KubeContext {
  readonly cluster: string;
  readonly user: string;
  readonly namespace?: string | undefined;
}

/** A cluster entry of a kubeconfig. */
export interface KubeCluster {
  readonly server: string;
  readonly ca?: Pem | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  readonly tlsServerName?: string | undefined;
  readonly proxyUrl?: string | undefined;
  readonly disableCompression?: boolean | undefined;
  /** The cluster's configuration for exec plugins. */
  readonly execConfig?: unknown;
}

/** A user entry of a kubeconfig. */
export interface KubeUser {
  readonly token?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly cert?: Pem | undefined;
  readonly key?: Pem | undefined;
  readonly exec?: ExecConfig | undefined;
  readonly authProvider?: AuthProvider | undefined;
  readonly impersonate?: Impersonation | undefined;
}

/** A program that issues credentials. */
export interface ExecConfig {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly installHint?: string | undefined;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: "Never" | "IfAvailable" | "Always";
}

/** The older way to extend kubectl, of which OIDC remains. */
export interface AuthProvider {
  readonly name: string;
  readonly config: Readonly<Record<string, string>>;
}

/** Impersonates another user. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}
