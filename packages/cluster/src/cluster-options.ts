import type { Clock } from "@kubewright/api";
import type {
  ExtensionResolver,
  FeatureGate,
  PodSecurityOptions,
  RequestLog,
  ServiceResolver,
  WebhookCaller,
} from "@kubewright/apiserver";
import type { AuditLogLimits, AuditWebhookFile } from "./audit-files.js";
import type { ControllerSelection } from "./controllers/select-controllers.js";
import type { ContainerRuntime } from "./nodes/container-runtime.js";
import type { NodesOption } from "./nodes/node-spec.js";
import type { Rule } from "./nodes/rules/rule.js";
import type { Seed } from "./seed/seeded-random.js";

/** What an embedded cluster consists of, where its data lives, and how time passes in it. */
export interface ClusterOptions {
  readonly clock?: Clock | undefined;
  /** The built-in controllers to run, by name; a name with a dash before it is left out. Default: all. */
  readonly controllers?: ControllerSelection | undefined;
  /** Admission plugins to leave out, by name. */
  readonly disableAdmission?: readonly string[] | undefined;
  /** Features to switch on that Kubernetes leaves off. */
  readonly featureGates?: readonly FeatureGate[] | undefined;
  /** Where services get their addresses: one range, or one of each family. `10.96.0.0/16` by default. */
  readonly serviceRanges?: readonly string[] | undefined;
  /** The pod security levels of namespaces without labels, and exemptions. */
  readonly podSecurity?: PodSecurityOptions | undefined;
  /** How many nodes there are, `node-1` and on, or which. Default: one. */
  readonly nodes?: NodesOption | undefined;
  /** The initial rules of the simulation; later rules override earlier ones. */
  readonly rules?: readonly Rule[] | undefined;
  /** How nodes run containers. Default: a simulation. */
  readonly runtime?: ContainerRuntime | undefined;
  /**
   * The name of the storage class that claims without one get. With `none` they get none, and wait for volumes made by hand.
   * Default: `standard`.
   */
  readonly defaultStorageClass?: string | undefined;
  /** Whatever is drawn (uids, generated names, jitter) follows from it; with a virtual clock, the whole history does. */
  readonly seed?: Seed | undefined;
  /** Uniform in [0, 1), instead of a seed. Default: Math.random. */
  readonly random?: (() => number) | undefined;
  /** A file or folder of YAML to begin with. */
  readonly manifests?: string | undefined;
  /** A file written by `snapshot()` to begin with. */
  readonly restore?: string | undefined;
  /** The data directory, keys included: what a response has confirmed survives the process. One process at a time. */
  readonly dataDir?: string | undefined;
  /** The audit log: a file of JSON lines that record who did what. */
  readonly auditLog?: string | undefined;
  /** A file with the audit policy (`audit.k8s.io/v1`). Default: metadata of every request. */
  readonly auditPolicy?: string | undefined;
  /** When the log is rotated (default: at 100 MiB), and which rotated files are kept (default: all). */
  readonly auditLogLimits?: AuditLogLimits | undefined;
  /** The audit webhook that receives the same events over HTTPS. Default mode: batch. */
  readonly auditWebhook?: AuditWebhookFile | undefined;
  /** Called with every request and its response. */
  readonly requestLog?: RequestLog | undefined;
  /** Milliseconds for which a cluster that closes goes on as before, while `/readyz` says already that it will not. Default: none. */
  readonly shutdownDelay?: number | undefined;
  /**
   * Milliseconds after which states of the past can no longer be listed, or twice as many: pages of a list that is read more slowly end
   * with 410. Default: five minutes; zero: never.
   */
  readonly compactionInterval?: number | undefined;
  /** Milliseconds after which events are forgotten. Default: an hour. */
  readonly eventTtl?: number | undefined;
  /** How webhooks are called. Default: over HTTPS. */
  readonly callWebhook?: WebhookCaller | undefined;
  /** Where the Services of webhooks are: addresses, or functions of this process. */
  readonly resolveService?: ServiceResolver | undefined;
  /** Where the servers behind APIServices are that no Service leads to: URLs, or functions of this process. */
  readonly resolveExtension?: ExtensionResolver | undefined;
  /** Hears what went wrong in the cluster's own controllers and nodes; without it, failures are only retried. */
  readonly onError?: ((where: string, error: unknown) => void) | undefined;
}

/** Options of serving an embedded cluster on a port. */
export interface ListenOptions {
  /** Loopback by default. */
  readonly host?: string | undefined;
  /** A free one by default. */
  readonly port?: number | undefined;
  /** Called with each new kubeconfig: after the token was rotated, or the CA renewed. */
  readonly onKubeconfig?: ((kubeconfig: string) => void) | undefined;
  /** During shutdown, answers 429 with Retry-After instead of refusing connections. */
  readonly sendRetryAfter?: boolean | undefined;
}

/** The address and credentials of a listening cluster, for other processes. */
export interface Endpoint {
  readonly url: string;
  readonly port: number;
  /** For `KUBECONFIG`: user `admin`, with a bearer token; the one of now. */
  readonly kubeconfig: string;
}
