// The container runtime interface of a node. The kubelet knows pods, statuses and restarts; a runtime starts, probes, attaches
// to and stops containers. The simulated runtime decides outcomes by rules; the process runtime runs programs of this machine.
import type { Duplex } from "node:stream";
import type { Clock, Container, LifecycleHandler, Pod } from "@kubewright/api";
import type { PortTarget, ServiceResolver } from "@kubewright/apiserver";
import type { CachedClient, InformerPool } from "@kubewright/runtime";
import type { ExecRequest, PortCall } from "./rules/rule.js";
import type { RuleSet } from "./rules/rule-set.js";

/** The node of a pod, as its containers see it. */
export interface PodNode {
  /** Acts as the kubelet of the node. */
  readonly client: CachedClient;
  readonly podIP: string;
  readonly hostIP: string;
  /** Records an event about the container. */
  event(type: "Normal" | "Warning", reason: string, message: string): void;
}

/** A container that is to run. */
export interface ContainerRequest {
  readonly pod: Pod;
  readonly container: Container;
  /** How often it ran before. */
  readonly attempt: number;
  readonly node: PodNode;
}

/** An image on a node. */
export interface PulledImage {
  /** As `imageID` shows it. */
  readonly id: string;
  /** Whether the node had it already, so that nothing was pulled. */
  readonly wasPresent: boolean;
  readonly bytes: number;
}

/** How a container ended. */
export interface ContainerExit {
  readonly exitCode: number;
  /** `Completed` or `Error`, by the code, by default: `OOMKilled`. */
  readonly reason?: string | undefined;
  /** The termination message. */
  readonly message?: string | undefined;
}

/** The kinds of probes. */
export type ProbeKind = "startup" | "readiness" | "liveness";

/** The result of a probe. */
export interface ProbeOutcome {
  readonly success: boolean;
  readonly message?: string | undefined;
  /** Milliseconds for which the next probes would find the same. Default: not known. */
  readonly holdsFor?: number | undefined;
}

/** A container that a runtime has started. */
export interface RunningContainer {
  /** As `containerID` shows it, with its scheme. */
  readonly id: string;
  readonly exited: Promise<ContainerExit>;
  /** Not ready, whatever probes find. */
  readonly isHeldUnready: boolean;
  /** Probes take time and have effects: none is made to look ahead. */
  readonly probesWait?: boolean | undefined;
  /** Probes that wait for an answer say later what they found; the timeout of the probe is theirs to keep. */
  probe(kind: ProbeKind): ProbeOutcome | Promise<ProbeOutcome>;
  /** Runs a hook to its end; rejects when it fails. */
  hook(handler: LifecycleHandler, signal: AbortSignal): Promise<void>;
  /** Calls back when probes may find something else than they said they would. */
  onChange(listener: () => void): void;
  /** Asks it to end, and ends it when the grace period (in milliseconds) is over. */
  stop(gracePeriod: number): void;
}

/** Why an image cannot be had; the reason shows in the container's status. */
export class ImageError extends Error {
  override readonly name = "ImageError";
  readonly reason: "ErrImagePull" | "InvalidImageName" | "ErrImageNeverPull";

  constructor(reason: ImageError["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** A line of a container's log. */
export interface LogLine {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly text: string;
  /** Its end was never written: the last of a program. */
  readonly isUnfinished?: boolean | undefined;
}

/** The log of one run of a container. */
export interface ContainerLog {
  /** True when nothing more will come. */
  readonly isOver: boolean;
  /** The lines so far, from the line of that number on (the oldest may be gone), and the number of the next one. */
  read(from: number): { readonly lines: readonly LogLine[]; readonly next: number };
  /** Resolves when there may be more, or the signal is aborted. */
  more(signal: AbortSignal): Promise<void>;
}

/** The usage of a container, in cores and bytes. */
export interface ContainerUsage {
  readonly container: string;
  readonly cpu: number;
  readonly memory: number;
}

/** The environment that a cluster gives its runtime. */
export interface RuntimeEnvironment {
  readonly clock: Clock;
  readonly random: () => number;
  /** The rules of the simulation. */
  readonly rules: RuleSet;
  readonly pool: InformerPool;
  readonly report: (where: string, error: unknown) => void;
}

/** Runs the containers of nodes: simulated, or as processes. */
export interface ContainerRuntime {
  /** As nodes name it: `containerd://2.1`. Default: `simulated://1.0`. */
  readonly version?: string | undefined;
  /** Called once, before there are nodes; rejects when this machine cannot run containers so. */
  open?(environment: RuntimeEnvironment): Promise<void>;
  /** Called once, when there are no nodes any more. */
  close?(): Promise<void>;
  /** Whether the node has the image, so that starting it needs no pull. */
  hasImage(request: ContainerRequest): boolean;
  /** Makes the image available; throws an ImageError when it cannot be. */
  pull(request: ContainerRequest, signal: AbortSignal): Promise<PulledImage>;
  start(request: ContainerRequest, signal: AbortSignal): Promise<RunningContainer>;
  /** The log of a container's last run or the one before; undefined when there was none. */
  log(podUid: string, container: string, options: { readonly previous: boolean }): ContainerLog | undefined;
  /** Runs a program in a container, and says its exit code. */
  exec?(call: ExecRequest): Promise<number>;
  /** Serves a connection to a port of a pod that is forwarded: ports of its loopback can be reached, too. */
  connect?(call: PortCall): Promise<void>;
  /** Opens a connection to a port as others in the cluster do; undefined where nobody listens. */
  dial?(target: PortTarget): Promise<Duplex | undefined>;
  /** The usage of a pod's running containers. */
  usage?(pod: Pod): readonly ContainerUsage[];
  /** Why the pod is to be evicted, and when, as far as the runtime knows. */
  eviction?(pod: Pod): { readonly after: number; readonly message: string } | undefined;
  /** Calls back when what the runtime decides may have changed. */
  onChange?(listener: () => void): () => void;
  /** The images on a node. */
  images?(node: string): readonly { readonly name: string; readonly image: PulledImage }[];
  /** The pod changed: what its containers see of it may have to follow. */
  podChanged?(pod: Pod): void;
  /** Where the API server reaches a Service of the cluster. */
  readonly resolveService?: ServiceResolver | undefined;
  /** The pod is gone: nothing of it is asked for any more. */
  forget(podUid: string): void;
}
