import type { Clock, CustomResourceDefinition } from "@kubewright/api";
import type { Client, Middleware } from "@kubewright/client";
import type { ClusterOptions, Seed } from "@kubewright/cluster";
import type {
  AnyWebhook,
  ControllerDefinition,
  ManagerDefinition,
  ReconcileObserver,
} from "@kubewright/runtime";

/** A kind that can install itself: what `defineResource` returns. */
export interface InstallableResource {
  crd(): CustomResourceDefinition;
}

/** Makes clients of a cluster; their requests pass the middleware. */
export type Connect = (options: ConnectSettings) => Client;

/** The identity of a client, and the observer of its requests. */
export interface ConnectSettings {
  readonly fieldManager?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly middleware?: readonly Middleware[] | undefined;
}

/** What runs in the cluster of a test, with which permissions, and how its time passes. */
export interface TestClusterOptions {
  /** Default: `virtual`, where time moves only when the test waits or advances it. */
  readonly clock?: "virtual" | "real" | undefined;
  /** The seed of random numbers; in virtual time it makes every run the same. Default: a fixed seed. */
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
   * The manager after a crash, as a new process would load it: with nothing in memory. Default: the same definition again, whose modules
   * remember.
   */
  readonly reload?: (() => ManagerDefinition | Promise<ManagerDefinition>) | undefined;
  /**
   * The permissions of the manager in an embedded cluster. Default: `derived`, from its declarations, as in production; other
   * requests are refused, and reported at the end. `all` permits everything.
   */
  readonly permissions?: "derived" | "all" | undefined;
  /** The namespace of objects that name none, created when missing. Default: `default`, or a new one on a cluster that
   * runs already. */
  readonly namespace?: string | undefined;
  /** The number of nodes, or the nodes themselves. Default: one. */
  readonly nodes?: ClusterOptions["nodes"];
  /** The rules for simulated pods and nodes. */
  readonly rules?: ClusterOptions["rules"];
  /** Other options of the embedded cluster: which of its own controllers run, manifests to begin with. */
  readonly cluster?: Omit<ClusterOptions, "clock" | "seed" | "random" | "nodes" | "rules"> | undefined;
  /** Sees every request of the manager, and may change or refuse it. */
  readonly middleware?: readonly Middleware[] | undefined;
  /** Observes every reconcile of the manager. */
  readonly observer?: ReconcileObserver | undefined;
  /** The clock of the manager, made from that of the cluster: one whose timers come late, for instance. Default: the same. */
  readonly managerClock?: ((clock: Clock) => Clock) | undefined;
  /** A cluster that runs already, instead of an embedded one. Time is real there, and there are no faults. */
  readonly connect?: Connect | undefined;
  /** The handling of leaks at the end: handles that were not closed, pods that never ran. Default: `warn`. */
  readonly leaks?: "warn" | "fail" | "ignore" | undefined;
}
