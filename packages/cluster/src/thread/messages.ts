// The messages between a cluster in a worker thread and the thread that started it.
import type { ClusterControls } from "../cluster-controls.js";
import type { ClusterThreadOptions } from "./cluster-thread.js";

/** The data that the worker is started with. */
export type ThreadData = ClusterThreadOptions;

/** The messages of the worker. */
export type FromThread =
  | {
      readonly kind: "ready";
      readonly url: string;
      readonly kubeconfig: string;
      readonly isolation: readonly string[];
    }
  | { readonly kind: "kubeconfig"; readonly kubeconfig: string }
  | { readonly kind: "error"; readonly where: string; readonly message: string }
  /** The control with this number is done, with what it returned, or failed. */
  | {
      readonly kind: "done";
      readonly id: number;
      readonly value?: unknown;
      readonly error?: string | undefined;
    };

/** The messages to the worker. */
export type ToThread =
  | { readonly kind: "close" }
  | {
      readonly kind: "control";
      readonly id: number;
      readonly name: keyof ClusterControls;
      readonly given: readonly unknown[];
    };
