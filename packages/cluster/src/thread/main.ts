// The entry point of the worker thread of `startClusterThread`: serves a cluster until it is asked to close. In any other thread loading it
// does nothing.
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { AdjustableClock } from "@kubewright/api";
import { startCluster } from "../cluster.js";
import { type ClusterControls, clusterControls } from "../cluster-controls.js";
import type { ProcessRuntime, ProcessRuntimeOptions } from "../nodes/process/index.js";
import type { FromThread, ThreadData, ToThread } from "./messages.js";

/** Starts a cluster, reports when it can be reached, and closes it when the other side of the port asks for it. */
export async function serveClusterThread(
  port: MessagePort,
  { host, port: listenPort, process: processOptions, ...options }: ThreadData,
): Promise<void> {
  const report = (message: FromThread): void => port.postMessage(message);
  const clock = new AdjustableClock();
  const runtime = processOptions && (await processRuntime(processOptions));
  const cluster = await startCluster({
    ...options,
    runtime,
    clock,
    // Errors themselves cannot always be copied to another thread.
    onError: (where, error) =>
      report({ kind: "error", where, message: error instanceof Error ? error.message : String(error) }),
  });
  const controls = clusterControls(cluster, clock);
  port.on("message", async (message: ToThread) => {
    if (message.kind === "control") return report(await carriedOut(controls, message));
    await cluster.close();
    port.close();
  });
  const { url, kubeconfig } = await cluster.listen({
    host,
    port: listenPort,
    onKubeconfig: (text) => report({ kind: "kubeconfig", kubeconfig: text }),
  });
  report({ kind: "ready", url, kubeconfig, isolation: runtime?.isolation ?? [] });
}

/** Process nodes are loaded only where they are asked for. */
async function processRuntime(options: ProcessRuntimeOptions): Promise<ProcessRuntime> {
  const { ProcessRuntime: Runtime } = await import("../nodes/process/index.js");
  return new Runtime(options);
}

async function carriedOut(
  controls: ClusterControls,
  { id, name, given }: Extract<ToThread, { kind: "control" }>,
): Promise<FromThread> {
  try {
    const control = controls[name] as ((...given: readonly unknown[]) => Promise<unknown>) | undefined;
    return { kind: "done", id, value: await control?.(...given) };
  } catch (error) {
    return { kind: "done", id, error: error instanceof Error ? error.message : String(error) };
  }
}

if (parentPort && workerData) await serveClusterThread(parentPort, workerData as ThreadData);
