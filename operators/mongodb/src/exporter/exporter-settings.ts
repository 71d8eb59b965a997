// What an exporter is told in its environment. Secrets are not in it: they are files, which the kubelet keeps up to date.
import type { AgentLogin } from "../client/login-files.js";

/** The variable with the settings, as JSON. */
export const settingsVariable = "MONGODB_EXPORTER";

/** Folders of the exporter. */
export const exporterFolders = {
  /** `password` of its user of MongoDB, or `tls.crt` and `tls.key`. */
  login: "/login",
  /** `ca.crt` of the members. */
  tls: "/client-tls",
  /** `password` that readers of the metrics send. */
  readers: "/readers",
  /** `tls.crt` and `tls.key` of the exporter itself. */
  serving: "/serving-tls",
} as const;

export interface ExporterSettings {
  readonly replicaSet: string;
  /** The members with data, as host and port. */
  readonly hosts: readonly string[];
  /** Members take TLS. */
  readonly isSecure: boolean;
  readonly login: AgentLogin;
  readonly port: number;
  readonly path: string;
  readonly username: string;
  /** Metrics are served with TLS. */
  readonly isServedWithTls: boolean;
}
