// A cluster in a worker thread, reached over TLS. An operator that shares a process with its cluster would wait for every request the
// API server works on; with a thread of its own the cluster delays nobody else.
import { Worker } from "node:worker_threads";
import { type AdjustableClock, sleep, systemClock } from "@kubewright/api";
import type { ClusterControls } from "../cluster-controls.js";
import type { ClusterOptions, ListenOptions } from "../cluster-options.js";
import type { ProcessRuntimeOptions } from "../nodes/process/index.js";
import type { FromThread, ThreadData, ToThread } from "./messages.js";

/** Options that can be handed to another thread. */
export interface ClusterThreadOptions
  extends Pick<ClusterOptions, "controllers" | "nodes" | "dataDir" | "manifests" | "disableAdmission">,
    Pick<ListenOptions, "host" | "port"> {
  /** Runs containers as processes of this machine, with these options. Default: containers are simulated. */
  readonly process?: ProcessRuntimeOptions | undefined;
}

/** The events of a cluster in another thread. */
export interface ClusterThreadEvents {
  /** Moved forward together with the cluster's clock, for operators of this thread. */
  readonly clock?: AdjustableClock | undefined;
  /** A kubeconfig takes the place of the one before: the token or the CA was renewed. */
  readonly onKubeconfig?: ((kubeconfig: string) => void) | undefined;
  /** Something failed in the controllers or nodes of the cluster, or the thread itself ended. */
  readonly onError?: ((where: string, error: unknown) => void) | undefined;
}

/** An embedded cluster in a worker thread. */
export interface ClusterThread {
  readonly url: string;
  /** The text of a kubeconfig for the administrator. */
  readonly kubeconfig: string;
  /** How pods on process nodes are kept apart, one property a line; empty where containers are simulated. */
  readonly isolation: readonly string[];
  /** The controls of the cluster beyond its API. */
  readonly controls: Required<ClusterControls>;
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
  const { url, kubeconfig, isolation } = await readiness(worker, events);
  worker.on("error", (error) => events.onError?.("cluster thread", error));
  return {
    url,
    kubeconfig,
    isolation,
    controls: movingAlong(remoteControls(worker), events.clock),
    async close() {
      const request: ToThread = { kind: "close" };
      worker.postMessage(request);
      await ended;
    },
  };
}

/** The longest step in which time is moved, and the real time everybody has after each to do what was due; in milliseconds. */
const longestStep = 60_000;
const breath = 20;

/** Small steps, so that what operators do on a schedule meets a cluster of about the same time. */
function movingAlong(
  controls: Required<ClusterControls>,
  clock: AdjustableClock | undefined,
): Required<ClusterControls> {
  return {
    ...controls,
    async advanceTime(milliseconds) {
      const step = Math.min(longestStep, Math.max(1_000, milliseconds / 60));
      for (let left = milliseconds; left > 0; left -= step) {
        await controls.advanceTime(Math.min(step, left));
        await clock?.advance(Math.min(step, left));
        await sleep(systemClock, breath);
      }
    },
  };
}

/** The controls of the cluster, carried out in its own thread. */
function remoteControls(worker: Worker): Required<ClusterControls> {
  const waiting = new Map<number, (done: Extract<FromThread, { kind: "done" }>) => void>();
  let nextId = 1;
  worker.on("message", (message: FromThread) => {
    if (message.kind !== "done") return;
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  const control =
    <Name extends keyof ClusterControls>(name: Name) =>
    (...given: readonly unknown[]): ReturnType<Required<ClusterControls>[Name]> => {
      const done = new Promise<unknown>((resolve, reject) => {
        const id = nextId++;
        waiting.set(id, ({ value, error }) =>
          error === undefined ? resolve(value) : reject(new Error(error)),
        );
        worker.postMessage({ kind: "control", id, name, given } satisfies ToThread);
      });
      return done as ReturnType<Required<ClusterControls>[Name]>;
    };
  return {
    advanceTime: control("advanceTime"),
    stopNode: control("stopNode"),
    injectFault: control("injectFault"),
    clearFaults: control("clearFaults"),
    takeSnapshot: control("takeSnapshot"),
    restoreSnapshot: control("restoreSnapshot"),
    snapshots: control("snapshots"),
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
      else if (message.kind === "error") onError?.(message.where, new Error(message.message));
    });
  });
}
