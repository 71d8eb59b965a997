// What a process decides about the manager it runs, once flags and environment have been read.
import type { LogLevel } from "../logging/logger.js";

/** Where to listen; undefined for nowhere. */
export interface BindAddress {
  readonly host: string;
  readonly port: number;
}

/** How a process runs its manager. What is undefined follows from where it runs: in a pod, or on somebody's machine. */
export interface MainSettings {
  /** This kubeconfig, instead of the one kubectl would take or the pod's service account. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** Where the lease, the webhooks' Service and their certificates are; the pod's own, or the context's. */
  readonly namespace?: string | undefined;
  /** One replica works at a time. As the manager says in a pod, off elsewhere. */
  readonly leaderElection?: boolean | undefined;
  readonly health?: BindAddress | undefined;
  readonly metrics?: BindAddress | undefined;
  /** TLS, and only for those whom the API server allows it; on in a pod. */
  readonly secureMetrics?: boolean | undefined;
  /** `false` for no webhooks. */
  readonly webhooks?: boolean | undefined;
  /** A name or address under which the API server can reach this process, which then listens on all addresses. Default: 127.0.0.1. */
  readonly webhookHost?: string | undefined;
  /** 9443 unless told; 0 for any that is free, where they are reached by URL. */
  readonly webhookPort?: number | undefined;
  /** `tls.crt` and `tls.key` that somebody else renews; made by the manager unless told. */
  readonly webhookCertificates?: string | undefined;
  /** How long webhooks behind a Service are answered after a signal to stop, in milliseconds. Default: 5 s. */
  readonly webhookDrain?: number | undefined;
  /** What to do about missing permissions; refuse to start unless told. */
  readonly preflight?: "fail" | "report" | "off" | undefined;
  /** How long reconciles under way may take at the end, in milliseconds; 30 s unless told. */
  readonly shutdownTimeout?: number | undefined;
  /** `false` leaves V8 as it is, for reconciles that compute much: see `keepHeapSmall`. */
  readonly tune?: boolean | undefined;
  readonly logLevel?: LogLevel | undefined;
  /** For people or for collectors; by whether the output is a terminal. */
  readonly logFormat?: "text" | "json" | undefined;
}

/** Reads `:8443`, `127.0.0.1:8080` or `[::1]:8080`; `0` is nowhere. */
export function parseBindAddress(text: string): BindAddress | undefined {
  if (text === "0" || text === "") return undefined;
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > 65_535)
    throw new Error(`${text} is no address; write :8443, 127.0.0.1:8443 or 0 for none`);
  return { host: match[1] ?? (match[2] || "0.0.0.0"), port };
}
