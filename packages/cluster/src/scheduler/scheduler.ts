// The scheduler: pods without a node get one that fits, or are told why not and wait for the cluster to change.
import { findCondition, formatTime, Node, Pod } from "@kubewright/api";
import type { ObjectChange, StoreReader } from "@kubewright/runtime";
import type {
  BuiltInController,
  ControllerEnvironment,
  RunningController,
} from "../controllers/controller.js";
import { SyncLoop } from "../controllers/sync-loop.js";
import type { EventRecorder } from "../events/event-recorder.js";
import { chooseNode } from "./choose-node.js";
import { NodeLoads } from "./node-loads.js";
import { requestsOf } from "./pod-requests.js";

export const scheduler: BuiltInController = {
  name: "scheduler",
  start: (environment) => new Scheduler(environment).start(),
};

class Scheduler implements RunningController {
  readonly #environment: ControllerEnvironment;
  readonly #events: EventRecorder;
  readonly #loop: SyncLoop;
  readonly #loads = new NodeLoads();
  /** Keys of pods that fit nowhere as things are. */
  readonly #waiting = new Set<string>();
  #pods: StoreReader<Pod> | undefined;
  #turn = 0;

  constructor(environment: ControllerEnvironment) {
    this.#environment = environment;
    this.#events = environment.events("default-scheduler");
    // One at a time: every decision counts on the one before.
    this.#loop = new SyncLoop(environment, {
      name: "scheduler",
      concurrency: 1,
      sync: (key) => this.#sync(key),
    });
  }

  async start(): Promise<this> {
    this.#loop.watch(Node, (change) => this.#onNode(change));
    this.#pods = this.#loop.watch(Pod, (change) => this.#onPod(change));
    await this.#loop.start();
    return this;
  }

  close(): Promise<void> {
    return this.#loop.close();
  }

  #onNode({ previous, current }: ObjectChange<Node>): Iterable<string> {
    if (current) this.#loads.setNode(current);
    else this.#loads.removeNode(previous?.metadata?.name ?? "");
    return this.#retryAll();
  }

  #onPod({ key, previous, current }: ObjectChange<Pod>): Iterable<string> {
    const pod = current ?? previous;
    if (!pod) return [];
    const isGone = !current || current.status?.phase === "Succeeded" || current.status?.phase === "Failed";
    if (isGone) {
      this.#waiting.delete(key);
      return this.#loads.remove(pod) ? this.#retryAll() : [];
    }
    if (current.spec?.nodeName) {
      this.#loads.place(current, current.spec.nodeName);
      return [];
    }
    return needsNode(current) && !this.#waiting.has(key) ? [key] : [];
  }

  #retryAll(): Iterable<string> {
    const keys = [...this.#waiting];
    this.#waiting.clear();
    return keys;
  }

  async #sync(key: string): Promise<undefined> {
    const pod = this.#pods?.get(key);
    if (!pod || !needsNode(pod)) return;
    const choice = chooseNode(pod, requestsOf(pod), this.#loads.list, this.#turn++);
    if ("node" in choice) await this.#bind(pod, choice.node);
    else await this.#refuse(key, pod, choice.message);
  }

  async #bind(pod: Pod, node: string): Promise<void> {
    const { name = "", namespace } = pod.metadata ?? {};
    this.#loads.place(pod, node);
    try {
      await this.#environment.client.live.pods.bind(name, node, {
        namespace,
        fieldManager: "kube-scheduler",
      });
    } catch (error) {
      this.#loads.remove(pod);
      throw error;
    }
    this.#events.normal(Pod, pod, "Scheduled", `Successfully assigned ${namespace}/${name} to ${node}`);
  }

  async #refuse(key: string, pod: Pod, message: string): Promise<void> {
    this.#waiting.add(key);
    const known = findCondition(pod.status?.conditions, "PodScheduled");
    if (known?.status === "False" && known.message === message) return;
    this.#events.warning(Pod, pod, "FailedScheduling", message);
    const { name = "", namespace, uid, generation } = pod.metadata ?? {};
    const condition = {
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message,
      observedGeneration: generation,
      lastTransitionTime:
        known?.status === "False" ? known.lastTransitionTime : formatTime(this.#environment.clock.now()),
    };
    const strategic = { metadata: { uid }, status: { conditions: [condition] } };
    await this.#environment.client.patch(
      Pod,
      name,
      { strategic },
      { namespace, subresource: "status", fieldManager: "kube-scheduler" },
    );
  }
}

function needsNode({ spec, metadata, status }: Pod): boolean {
  return (
    !spec?.nodeName &&
    !metadata?.deletionTimestamp &&
    (spec?.schedulerName ?? "default-scheduler") === "default-scheduler" &&
    (spec?.schedulingGates?.length ?? 0) === 0 &&
    status?.phase !== "Succeeded" &&
    status?.phase !== "Failed"
  );
}
