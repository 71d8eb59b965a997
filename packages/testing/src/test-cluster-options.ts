import type { CustomResourceDefinition } from "@kubewright/api";
import type { Client, Middleware } from "@kubewright/client";
import type { ClusterOptions, Seed } from "@kubewright/cluster";
import type { AnyWebhook, ControllerDefinition, ManagerDefinition } from "@kubewright/runtime";

/** A kind that can install itself: what `defineResource` returns. */
export interface InstallableResource {
  crd(): CustomResourceDefinition;
}

/** Makes clients of a cluster; their requests pass the middleware. */
export type Connect = (options: ConnectSettings) => Client;

/** How a client introduces itself, and what sees its requests. */
export interface ConnectSettings {
  readonly fieldManager?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly middleware?: readonly Middleware[] | undefined;
}

export interface TestClusterOptions {
  /** Default: `virtual`, where time moves only when the test waits or advances it. */
  readonly clock?: "virtual" | "real" | undefined;
  /** What is drawn follows from it; the same history every time, in virtual time. Default: a fixed seed. */
  readonly seed?: Seed | undefined;
  /** Custom kinds to install. */
  readonly resources?: readonly InstallableResource[] | undefined;
  /** Controllers to run, as one manager. */
  readonly controllers?: readonly ControllerDefinition[] | undefined;
  /** Webhooks to install and serve, in the same manager: called as functions, with no socket and no certificate. */
  readonly webhooks?: readonly AnyWebhook[] | undefined;
  /** A whole manager to run, instead of controllers and webhooks. */
  readonly manager?: ManagerDefinition | undefined;
  /**
   * What the manager may do in an embedded cluster: what follows from its declarations, as in production, unless told. Whatever
   * else it tries is refused, and told at the end; `all` lets it do everything.
   */
  readonly permissions?: "derived" | "all" | undefined;
  /** Where objects go that name no namespace; `default` unless told, or a new one on a cluster that
   * runs already; created when missing. */
  readonly namespace?: string | undefined;
  /** The number of nodes, or the nodes themselves. Default: one. */
  readonly nodes?: ClusterOptions["nodes"];
  /** What becomes of simulated pods and nodes. */
  readonly rules?: ClusterOptions["rules"];
  /** What else the embedded cluster is told: which of its own controllers run, files to begin with. */
  readonly cluster?: Omit<ClusterOptions, "clock" | "seed" | "random" | "nodes" | "rules"> | undefined;
  /** A cluster that runs already, instead of an embedded one. Time is real there, and there are no faults. */
  readonly connect?: Connect | undefined;
  /** What to do about what is left over at the end: handles nobody closed, pods that never ran. Default: `warn`. */
  readonly leaks?: "warn" | "fail" | "ignore" | undefined;
}
