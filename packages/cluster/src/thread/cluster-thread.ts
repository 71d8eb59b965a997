// A cluster in a worker thread, reached over TLS. An operator that shares a process with its cluster would wait for every request the
// API server works on; with a thread of its own the cluster delays nobody else.
import { Worker } from "node:worker_threads";
import type { ClusterOptions, ListenOptions } from "../cluster-options.js";
import type { FromThread, ThreadData, ToThread } from "./messages.js";

/** Options that can be handed to another thread. */
export interface ClusterThreadOptions
  extends Pick<ClusterOptions, "controllers" | "nodes" | "dataDir" | "manifests" | "disableAdmission">,
    Pick<ListenOptions, "host" | "port"> {}

/** Notices of a cluster in a worker thread. */
export interface ClusterThreadEvents {
  /** A kubeconfig takes the place of the one before: the token or the CA was renewed. */
  readonly onKubeconfig?: ((kubeconfig: string) => void) | undefined;
  /** Something failed in the controllers or nodes of the cluster, or the thread itself ended. */
  readonly onError?: ((where: string, error: unknown) => void) | undefined;
}

export interface ClusterThread {
  readonly url: string;
  /** The text of a kubeconfig for the administrator. */
  readonly kubeconfig: string;
  /** Ends the cluster as `Cluster.close()` does, then its thread. */
  close(): Promise<void>;
}

/** Starts a cluster in a thread of its own; resolves when it can be reached. */
export async function startClusterThread(
  options: ClusterThreadOptions = {},
  events: ClusterThreadEvents = {},
): Promise<ClusterThread> {
  const workerData: ThreadData = options;
  const worker = new Worker(new URL("./main.js", import.meta.url), { workerData });
  const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  const { url, kubeconfig } = await readiness(worker, events);
  worker.on("error", (error) => events.onError?.("cluster thread", error));
  return {
    url,
    kubeconfig,
    async close() {
      const request: ToThread = "close";
      worker.postMessage(request);
      await ended;
    },
  };
}

/** Resolves with the first message that the cluster is ready; rejects when its thread fails before. */
function readiness(
  worker: Worker,
  { onKubeconfig, onError }: ClusterThreadEvents,
): Promise<Extract<FromThread, { kind: "ready" }>> {
  return new Promise((resolve, reject) => {
    worker.once("error", reject);
    worker.once("exit", (code) => reject(new Error(`the cluster's thread ended with code ${code}`)));
    worker.on("message", (message: FromThread) => {
      if (message.kind === "ready") resolve(message);
      else if (message.kind === "kubeconfig") onKubeconfig?.(message.kubeconfig);
      else onError?.(message.where, new Error(message.message));
    });
  });
}
