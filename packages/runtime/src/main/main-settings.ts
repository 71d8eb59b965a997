// The settings of a manager's process, from flags and environment.
import type { LogLevel } from "../logging/logger.js";

/** An address to listen on; undefined for none. */
export interface BindAddress {
  readonly host: string;
  readonly port: number;
}

/** The settings of a manager's process. Defaults depend on whether it runs in a pod or on a developer's machine. */
export interface MainSettings {
  /** This kubeconfig, instead of the one kubectl would take or the pod's service account. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** The namespace of the lease, the webhooks' Service and their certificates. Default: the pod's own, or the context's. */
  readonly namespace?: string | undefined;
  /** One replica works at a time. Default: in a pod as the manager defines, elsewhere off. */
  readonly leaderElection?: boolean | undefined;
  readonly health?: BindAddress | undefined;
  readonly metrics?: BindAddress | undefined;
  /** The bearer token of the metrics endpoint, where it is served without TLS. Default: none is asked for. */
  readonly metricsToken?: string | undefined;
  /** TLS, with authentication and authorization by the API server. Default: on in a pod. */
  readonly secureMetrics?: boolean | undefined;
  /** The address of the dashboard, for a manager that has one. */
  readonly dashboard?: BindAddress | undefined;
  /** `false` for no webhooks. */
  readonly webhooks?: boolean | undefined;
  /** A name or address under which the API server can reach this process, which then listens on all addresses. Default: 127.0.0.1. */
  readonly webhookHost?: string | undefined;
  /** 0 for any that is free, where they are reached by URL. Default: 9443. */
  readonly webhookPort?: number | undefined;
  /** A directory with `tls.crt` and `tls.key`, renewed by somebody else. Default: the manager generates its certificates. */
  readonly webhookCertificates?: string | undefined;
  /** The drain time of webhooks behind a Service after a signal to stop, in milliseconds. Default: 5 s. */
  readonly webhookDrain?: number | undefined;
  /** The treatment of missing permissions. Default: refuse to start. */
  readonly preflight?: "fail" | "report" | "off" | undefined;
  /** The time that reconciles under way are given at the end, in milliseconds. Default: 30 s. */
  readonly shutdownTimeout?: number | undefined;
  /** `false` leaves V8 as it is, for reconciles that compute much: see `keepHeapSmall`. */
  readonly tune?: boolean | undefined;
  readonly logLevel?: LogLevel | undefined;
  /** For people or for collectors. Default: for people where the output is a terminal. */
  readonly logFormat?: "text" | "json" | undefined;
}

/** Parses `:8443`, `127.0.0.1:8080` or `[::1]:8080`; `0` is none. */
export function parseBindAddress(text: string): BindAddress | undefined {
  if (text === "0" || text === "") return undefined;
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > 65_535)
    throw new Error(`${text} is no address; write :8443, 127.0.0.1:8443 or 0 for none`);
  return { host: match[1] ?? (match[2] || "0.0.0.0"), port };
}
