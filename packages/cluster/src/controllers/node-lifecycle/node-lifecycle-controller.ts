// Notices nodes that are no longer heard of, marks them and their pods, and keeps taints in step with conditions.
import { deepEqual, findCondition, formatTime, isNotFound, Lease, Node, Pod } from "@kubewright/api";
import type { StoreReader } from "@kubewright/runtime";
import { isNodeNews } from "../../workload/node-news.js";
import { indexPodsByNode, podsOnNode } from "../../workload/pods-on-node.js";
import type { BuiltInController, ControllerEnvironment, RunningController } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";
import { nodeHealth } from "./node-health.js";
import { nodeTaints } from "./node-taints.js";

export const nodeLifecycleController: BuiltInController = {
  name: "nodelifecycle",
  start: (environment) => new NodeLifecycle(environment).start(),
};

const leases = "kube-node-lease";

class NodeLifecycle implements RunningController {
  readonly #environment: ControllerEnvironment;
  readonly #loop: SyncLoop;
  readonly #nodes: StoreReader<Node>;
  readonly #leases: StoreReader<Lease>;
  readonly #pods: StoreReader<Pod>;
  /** Those that have been seen before. */
  readonly #known = new Set<string>();

  constructor(environment: ControllerEnvironment) {
    this.#environment = environment;
    this.#loop = new SyncLoop(environment, { name: "nodelifecycle", sync: (key) => this.#sync(key) });
    this.#nodes = this.#loop.watch(Node, ({ key, previous, current }) =>
      isNodeNews(previous, current) ? [key] : [],
    );
    this.#leases = this.#loop.watch(Lease, ({ current }) =>
      current?.metadata?.namespace === leases ? [current.metadata.name ?? ""] : [],
    );
    this.#pods = this.#loop.cache(Pod);
    indexPodsByNode(this.#pods);
  }

  async start(): Promise<this> {
    await this.#loop.start();
    return this;
  }

  close(): Promise<void> {
    return this.#loop.close();
  }

  async #sync(name: string): Promise<number | undefined> {
    const node = this.#nodes.get(name);
    if (!node) {
      this.#known.delete(name);
      return undefined;
    }
    this.#welcome(node);
    const { clock } = this.#environment;
    const health = nodeHealth(node, this.#leases.get(`${leases}/${name}`), clock.now());
    if (health.is === "silent" && health.conditions.length > 0) {
      await this.#declareUnknown(node, health.conditions);
      return 0;
    }
    await this.#taint(node);
    if (findCondition(node.status?.conditions, "Ready")?.status !== "True") await this.#markPods(name);
    return health.is === "heard" ? health.until : undefined;
  }

  #welcome(node: Node): void {
    const name = node.metadata?.name ?? "";
    if (this.#known.has(name)) return;
    this.#known.add(name);
    const text = `Node ${name} event: Registered Node ${name} in Controller`;
    this.#environment.events("node-controller").normal(Node, node, "RegisteredNode", text);
  }

  async #declareUnknown(node: Node, conditions: readonly object[]): Promise<void> {
    const name = node.metadata?.name ?? "";
    const wasReady = findCondition(node.status?.conditions, "Ready")?.status === "True";
    const strategic = { metadata: { uid: node.metadata?.uid }, status: { conditions } };
    await this.#environment.client.patch(Node, name, { strategic }, { subresource: "status" });
    const events = this.#environment.events("node-controller");
    if (wasReady) events.normal(Node, node, "NodeNotReady", `Node ${name} status is now: NodeNotReady`);
  }

  async #taint(node: Node): Promise<void> {
    const taints = nodeTaints(node, this.#environment.clock.now());
    if (deepEqual(taints, node.spec?.taints ?? [])) return;
    await this.#environment.client.update(Node, { ...node, spec: { ...node.spec, taints } });
  }

  /** Pods of a node that cannot be trusted are not ready for anybody. */
  async #markPods(node: string): Promise<void> {
    const { client, clock, events } = this.#environment;
    for (const pod of podsOnNode(this.#pods, node)) {
      const ready = findCondition(pod.status?.conditions, "Ready");
      if (ready?.status !== "True") continue;
      const { name = "", namespace, uid } = pod.metadata ?? {};
      const condition = { type: "Ready", status: "False", lastTransitionTime: formatTime(clock.now()) };
      const strategic = { metadata: { uid }, status: { conditions: [condition] } };
      try {
        await client.patch(Pod, name, { strategic }, { namespace, subresource: "status" });
        events("node-controller").warning(Pod, pod, "NodeNotReady", "Node is not ready");
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
  }
}
