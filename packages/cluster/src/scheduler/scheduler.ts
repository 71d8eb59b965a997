// The scheduler: pods without a node get the best one that fits, may preempt less important pods for it, or get an event
// that says why not and wait for the cluster to change.
import {
  isConflict,
  isNotFound,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  StorageClass,
} from "@kubewright/api";
import type { ObjectChange, StoreReader } from "@kubewright/runtime";
import type {
  BuiltInController,
  ControllerEnvironment,
  RunningController,
} from "../controllers/controller.js";
import { SyncLoop } from "../controllers/sync-loop.js";
import { isNodeNews } from "../workload/node-news.js";
import { chooseNode } from "./choose-node.js";
import { Pauses } from "./pauses.js";
import { Preemptor } from "./preemptor.js";
import { reportUnschedulable } from "./report-unschedulable.js";
import { type Occasion, SchedulingQueue } from "./scheduling-queue.js";
import { ClusterState } from "./state/cluster-state.js";
import { type PodInfo, podInfo } from "./state/pod-info.js";
import { VolumeBinder } from "./volume-binder.js";
import { volumeFacts } from "./volume-stores.js";

export const scheduler: BuiltInController = {
  name: "scheduler",
  start: (environment) => new Scheduler(environment).start(),
};

/** The queue key for "the next pod"; the other keys are pods to retry later. */
const next = "";
const retryDelay = 1_000;

class Scheduler implements RunningController {
  readonly #environment: ControllerEnvironment;
  readonly #loop: SyncLoop;
  readonly #queue = new SchedulingQueue();
  readonly #state: ClusterState;
  readonly #pods: StoreReader<Pod>;
  readonly #binder: VolumeBinder;
  readonly #preemptor: Preemptor;
  /** Keys of pods whose last attempt failed for reasons that are not theirs. */
  readonly #failed = new Set<string>();
  readonly #pauses = new Pauses();
  #serial = 0;
  #turn = 0;

  constructor(environment: ControllerEnvironment) {
    this.#environment = environment;
    // One at a time: every decision counts on the one before.
    this.#loop = new SyncLoop(environment, {
      name: "scheduler",
      concurrency: 1,
      sync: (key) => this.#sync(key),
    });
    // Stores before watches: a watch may begin with what is cached already.
    const namespaces = this.#loop.cache(Namespace);
    const claims = this.#loop.cache(PersistentVolumeClaim);
    const volumes = this.#loop.cache(PersistentVolume);
    const classes = this.#loop.cache(StorageClass);
    this.#pods = this.#loop.cache(Pod);
    this.#state = new ClusterState({
      namespaceLabels: (name) => namespaces.get(name)?.metadata?.labels,
      namespaces: () => namespaces.keys(),
      volumes: volumeFacts({ claims, volumes, classes }),
    });
    this.#binder = new VolumeBinder(environment.client, this.#state);
    this.#preemptor = new Preemptor(environment, this.#state, this.#loop.cache(PodDisruptionBudget));
    this.#watch();
  }

  #watch(): void {
    this.#loop.watch(Namespace, (change) => this.#onNamespace(change));
    this.#loop.watch(PersistentVolumeClaim, () => this.#onVolumes());
    this.#loop.watch(PersistentVolume, () => this.#onVolumes());
    this.#loop.watch(StorageClass, () => this.#onVolumes());
    this.#loop.watch(Node, (change) => this.#onNode(change));
    this.#loop.watch(Pod, (change) => this.#onPod(change));
  }

  async start(): Promise<this> {
    await this.#loop.start();
    return this;
  }

  close(): Promise<void> {
    return this.#loop.close();
  }

  #onNode({ previous, current }: ObjectChange<Node>): Iterable<string> {
    if (current) this.#state.setNode(current);
    else this.#state.removeNode(previous?.metadata?.name ?? "");
    return isNodeNews(previous, current) ? this.#wake("node") : [];
  }

  #onNamespace({ previous, current }: ObjectChange<Namespace>): Iterable<string> {
    return previous?.metadata?.labels === current?.metadata?.labels ? [] : this.#wake("namespace");
  }

  #onVolumes(): Iterable<string> {
    for (const key of this.#binder.pending) this.#enqueue(key);
    this.#wake("volume");
    return [next];
  }

  #onPod({ key, previous, current }: ObjectChange<Pod>): Iterable<string> {
    const pod = current ?? previous;
    if (!pod) return [];
    if (!current || isOver(current)) {
      this.#forget(key);
      return this.#state.remove(pod) ? this.#wake("pod-gone") : [];
    }
    if (current.spec?.nodeName) {
      this.#forget(key);
      const isNew = !this.#state.isPlaced(current.metadata?.uid ?? "");
      return this.#state.place(current, current.spec.nodeName)
        ? this.#wake(isNew ? "pod-placed" : "pod-changed")
        : [];
    }
    if (!needsNode(current) || this.#state.isPlaced(current.metadata?.uid ?? "")) return [];
    const isAsBefore = previous?.metadata?.generation === current.metadata?.generation;
    if (this.#queue.isWaiting(key) && isAsBefore) return [];
    // Promises made before a restart are kept.
    const promised = current.status?.nominatedNodeName;
    if (promised && !previous) this.#state.nominate(podInfo(current), promised);
    this.#enqueue(key, current);
    return [next];
  }

  #forget(key: string): void {
    this.#queue.forget(key);
    this.#binder.forget(key);
    this.#pauses.forget(key);
  }

  #enqueue(key: string, pod = this.#pods.get(key)): void {
    this.#queue.add(key, pod?.spec?.priority ?? 0, this.#serial++);
  }

  #wake(occasion: Occasion): Iterable<string> {
    for (const key of this.#queue.helped(occasion)) {
      if (this.#pauseOf(key) === 0) this.#enqueue(key);
      else {
        this.#queue.rest(key);
        this.#loop.add(key);
      }
    }
    return this.#queue.length > 0 ? [next] : [];
  }

  #pauseOf(key: string): number {
    return this.#pauses.left(key, this.#environment.clock.monotonic());
  }

  async #sync(key: string): Promise<number | undefined> {
    if (key !== next) {
      if (this.#failed.delete(key)) return retryDelay;
      const pause = this.#pauseOf(key);
      if (pause > 0) return pause;
      this.#enqueue(key);
    }
    const pod = this.#queue.take();
    if (this.#queue.length > 0) this.#loop.add(next);
    if (pod !== undefined) await this.#attempt(pod);
    return undefined;
  }

  async #attempt(key: string): Promise<void> {
    try {
      await this.#schedule(key);
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) this.#environment.report(`scheduler ${key}`, error);
      this.#failed.add(key);
      this.#loop.add(key);
    }
  }

  async #schedule(key: string): Promise<void> {
    const pod = this.#pods.get(key);
    if (!pod || !needsNode(pod)) return;
    const info = podInfo(pod);
    const answer = this.#binder.progress(info);
    if (answer === "waiting") return;
    if (answer) return this.#bind(info, answer.node);
    if (this.#state.isPlaced(info.uid)) return;
    if (this.#state.nodes.length === 0) {
      this.#queue.park(key, new Set());
      return reportUnschedulable(this.#environment, pod, { message: "no nodes available to schedule pods" });
    }
    const choice = chooseNode(info, this.#state, this.#turn++);
    if ("node" in choice) {
      this.#state.place(pod, choice.node.name);
      if (await this.#startVolumes(info, choice.node.name)) await this.#bind(info, choice.node.name);
      return;
    }
    this.#queue.park(key, choice.objectors);
    this.#pauses.failed(key, this.#environment.clock.monotonic());
    const report = await this.#preemptor.preempt(info, choice);
    await reportUnschedulable(this.#environment, pod, report);
  }

  /** True when there is nothing to wait for. */
  async #startVolumes(info: PodInfo, node: string): Promise<boolean> {
    try {
      return await this.#binder.begin(info, node);
    } catch (error) {
      this.#state.remove(info.pod);
      throw error;
    }
  }

  async #bind({ pod, key }: PodInfo, node: string): Promise<void> {
    const { name = "", namespace } = pod.metadata ?? {};
    try {
      await this.#environment.client.live.pods.bind(name, node, {
        namespace,
        fieldManager: "kube-scheduler",
      });
    } catch (error) {
      this.#binder.forget(key);
      this.#state.remove(pod);
      throw error;
    }
    this.#environment
      .events("default-scheduler")
      .normal(Pod, pod, "Scheduled", `Successfully assigned ${namespace}/${name} to ${node}`);
  }
}

function needsNode({ spec, metadata }: Pod): boolean {
  return (
    !spec?.nodeName &&
    !metadata?.deletionTimestamp &&
    (spec?.schedulerName ?? "default-scheduler") === "default-scheduler" &&
    (spec?.schedulingGates?.length ?? 0) === 0
  );
}

function isOver({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}
