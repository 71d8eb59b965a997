// The nodes of a cluster, and the kubelets on them: every pod bound to one of them gets a worker.
import { type Clock, isAlreadyExists, Node, Pod } from "@kubewright/api";
import type { NodeProxy, PodConnection } from "@kubewright/apiserver";
import type { CachedClient, InformerLease, InformerPool, ObjectChange } from "@kubewright/runtime";
import type { EventRecorder } from "../events/event-recorder.js";
import type { ContainerRuntime } from "./container-runtime.js";
import { Heartbeats } from "./heartbeats.js";
import { hostAddress, nodeName, nodeObject, readyStatus } from "./node-object.js";
import { PodAddresses } from "./pod-addresses.js";
import { podLog } from "./pod-log.js";
import { PodWorker } from "./pod-worker.js";

export interface SimulatedNodesOptions {
  readonly client: CachedClient;
  readonly pool: InformerPool;
  readonly clock: Clock;
  readonly count: number;
  readonly runtime: ContainerRuntime;
  readonly events: (host: string) => EventRecorder;
  readonly report: (where: string, error: unknown) => void;
}

export class SimulatedNodes implements NodeProxy {
  readonly heartbeats: Heartbeats;
  readonly #options: SimulatedNodesOptions;
  readonly #addresses = new PodAddresses();
  /** By name: their number. */
  readonly #nodes = new Map<string, number>();
  /** By uid of the pod. */
  readonly #workers = new Map<string, PodWorker>();
  readonly #closing = new Set<Promise<void>>();
  #lease: InformerLease<Pod> | undefined;
  #unsubscribe: (() => void) | undefined;

  constructor(options: SimulatedNodesOptions) {
    this.#options = options;
    this.heartbeats = new Heartbeats(options.client.live, options.clock);
    for (let index = 0; index < options.count; index++) this.#nodes.set(nodeName(index), index);
  }

  async start(): Promise<void> {
    await Promise.all([...this.#nodes.values()].map((index) => this.#register(index)));
    if (this.#nodes.size === 0) return;
    this.#lease = this.#options.pool.acquire(Pod);
    this.#unsubscribe = this.#lease.informer.onChange((change) => this.#onPod(change));
    await this.#lease.informer.synced();
  }

  async close(): Promise<void> {
    this.#unsubscribe?.();
    this.heartbeats.close();
    await Promise.all([...this.#workers.values()].map((worker) => worker.close()));
    await Promise.all(this.#closing);
    this.#workers.clear();
    await this.#lease?.release();
  }

  async connect(connection: PodConnection) {
    if (!this.#nodes.has(connection.nodeName)) return undefined;
    return podLog(connection, this.#options.runtime, this.#options.clock);
  }

  async #register(index: number): Promise<void> {
    const { client, clock } = this.#options;
    try {
      const node = await client.create(Node, nodeObject(index));
      const status = readyStatus(index, clock.now());
      await client.patch(Node, nodeName(index), { merge: { status } }, { subresource: "status" });
      // Admission marks every new node as not ready; there is no node lifecycle controller to take that back.
      await client.patch(Node, nodeName(index), { merge: { spec: { taints: null } } });
      await this.heartbeats.add(node);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  #onPod({ previous, current }: ObjectChange<Pod>): void {
    const known = this.#workers.get((current ?? previous)?.metadata?.uid ?? "");
    if (!current) this.#onGone(previous);
    else if (known) known.update(current);
    else if (!isOver(current)) this.#onNew(current);
  }

  #onNew(pod: Pod): void {
    const index = this.#nodes.get(pod.spec?.nodeName ?? "");
    if (index === undefined) return;
    const uid = pod.metadata?.uid ?? "";
    const { client, clock, runtime, events, report } = this.#options;
    const hostIP = hostAddress(index);
    const podIP = pod.spec?.hostNetwork ? hostIP : this.#addresses.allocate(index, uid);
    const recorder = events(nodeName(index));
    const worker = new PodWorker(pod, { client, clock, runtime, events: recorder, podIP, hostIP, report });
    this.#workers.set(uid, worker);
    if (pod.metadata?.deletionTimestamp) worker.update(pod);
  }

  #onGone(pod: Pod | undefined): void {
    const uid = pod?.metadata?.uid ?? "";
    const worker = this.#workers.get(uid);
    if (!worker) return;
    this.#workers.delete(uid);
    this.#addresses.release(uid);
    this.#options.runtime.forget(uid);
    const closing = worker.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}

function isOver({ status, metadata }: Pod): boolean {
  return !metadata?.deletionTimestamp && (status?.phase === "Succeeded" || status?.phase === "Failed");
}
