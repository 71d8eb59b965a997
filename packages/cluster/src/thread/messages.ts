// The messages between a cluster in a worker thread and the thread that started it.
import type { ClusterThreadOptions } from "./cluster-thread.js";

/** What the worker is started with. */
export type ThreadData = ClusterThreadOptions;

/** What the worker reports. */
export type FromThread =
  | { readonly kind: "ready"; readonly url: string; readonly kubeconfig: string }
  | { readonly kind: "kubeconfig"; readonly kubeconfig: string }
  | { readonly kind: "error"; readonly where: string; readonly message: string };

/** What the worker is asked to do. */
export type ToThread = "close";
