// The interface of built-in controllers, and the context the cluster gives them. Each controller lives in a folder of its own
// and can be left out.
import type { Clock } from "@kubewright/api";
import type { CertificateAuthority } from "@kubewright/api/x509";
import type { CachedClient, InformerPool } from "@kubewright/runtime";
import type { EventRecorder } from "../events/event-recorder.js";
import type { MetricsSource } from "../metrics/metrics-source.js";
import type { EveryKind } from "./every-kind.js";

/** The shared environment of a cluster's controllers. */
export interface ControllerEnvironment {
  /** Acts as the controller manager: reads from the caches of the pool, and sees its own writes there. */
  readonly client: CachedClient;
  readonly pool: InformerPool;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** The metadata of every object there is. */
  readonly everyKind: EveryKind;
  /** The certificates, in PEM, by which programs in the cluster know its API server. */
  readonly rootCertificate: () => string;
  /** Calls back when there are others, until the returned function is called. */
  readonly onRootCertificate?: ((listener: () => void) => () => void) | undefined;
  /** The CA that the API server trusts. */
  readonly certificateAuthority: () => CertificateAuthority;
  /** The metrics of autoscalers. Default: none. */
  readonly metrics?: MetricsSource | undefined;
  readonly events: (component: string) => EventRecorder;
  /** Hears what went wrong; it is tried again all the same. */
  readonly report: (where: string, error: unknown) => void;
}

export interface RunningController {
  close(): Promise<void>;
}

/** A built-in controller. */
export interface BuiltInController {
  readonly name: string;
  /** Resolves when it works. */
  start(environment: ControllerEnvironment): Promise<RunningController>;
}
