// The entry point of the worker thread of `startClusterThread`.
import { parentPort, workerData } from "node:worker_threads";
import { startCluster } from "../cluster.js";
import type { FromThread, ThreadData, ToThread } from "./messages.js";

const { host, port, ...options } = workerData as ThreadData;
const report = (message: FromThread): void => parentPort?.postMessage(message);

const cluster = await startCluster({
  ...options,
  // Errors themselves cannot always be copied to another thread.
  onError: (where, error) =>
    report({ kind: "error", where, message: error instanceof Error ? error.message : String(error) }),
});
parentPort?.on("message", async (message: ToThread) => {
  if (message !== "close") return;
  await cluster.close();
  parentPort?.close();
});
const { url, kubeconfig } = await cluster.listen({
  host,
  port,
  onKubeconfig: (text) => report({ kind: "kubeconfig", kubeconfig: text }),
});
report({ kind: "ready", url, kubeconfig });
