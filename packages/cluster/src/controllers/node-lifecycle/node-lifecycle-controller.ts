// The node lifecycle controller: marks nodes whose heartbeats stopped, and their pods, and keeps taints in step with conditions. Pods are
// evicted from one node after the other, and from none when it looks as if the nodes were not to blame.
import { deepEqual, findCondition, formatTime, isNotFound, Lease, Node, Pod } from "@kubewright/api";
import type { StoreReader } from "@kubewright/runtime";
import { isNodeNews } from "../../workload/node-news.js";
import { indexPodsByNode, podsOnNode } from "../../workload/pods-on-node.js";
import type { BuiltInController, ControllerEnvironment, RunningController } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";
import { EvictionPace } from "./eviction-pace.js";
import { nodeHealth } from "./node-health.js";
import { callsForExpelling, isExpelling, nodeTaints } from "./node-taints.js";
import { Zones, zoneOf } from "./zones.js";

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
  /** The known nodes, by name. */
  readonly #known = new Map<string, Node>();
  readonly #zones = new Zones();
  readonly #pace = new EvictionPace(this.#zones);

  constructor(environment: ControllerEnvironment) {
    this.#environment = environment;
    this.#loop = new SyncLoop(environment, { name: "nodelifecycle", sync: (key) => this.#sync(key) });
    const nodes = this.#loop.cache(Node);
    this.#nodes = nodes;
    this.#loop.watch(Node, ({ key, previous, current }) => {
      if (!isNodeNews(previous, current)) return [];
      // How one node is decides what may be done about others.
      return this.#zones.update(previous, current) ? nodes.keys() : [key];
    });
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
      this.#unregister(name);
      return undefined;
    }
    this.#register(node);
    const { clock } = this.#environment;
    const health = nodeHealth(node, this.#leases.get(`${leases}/${name}`), clock.now());
    if (health.is === "silent" && health.conditions.length > 0) {
      await this.#declareUnknown(node, health.conditions);
      return 0;
    }
    const pause = await this.#taint(node);
    if (findCondition(node.status?.conditions, "Ready")?.status !== "True") await this.#markPods(name);
    const waits = [pause, health.is === "alive" ? health.until : undefined].filter(
      (wait) => wait !== undefined,
    );
    return waits.length > 0 ? Math.min(...waits) : undefined;
  }

  #register(node: Node): void {
    const name = node.metadata?.name ?? "";
    const isKnown = this.#known.has(name);
    this.#known.set(name, node);
    if (!isKnown) this.#recordEvent(node, "RegisteredNode", `Registered Node ${name} in Controller`);
  }

  #unregister(name: string): void {
    const node = this.#known.get(name);
    if (node) this.#recordEvent(node, "RemovingNode", `Removing Node ${name} from Controller`);
    this.#known.delete(name);
  }

  #recordEvent(node: Node, reason: string, what: string): void {
    const text = `Node ${node.metadata?.name} event: ${what}`;
    this.#environment.events("node-controller").normal(Node, node, reason, text);
  }

  async #declareUnknown(node: Node, conditions: readonly object[]): Promise<void> {
    const name = node.metadata?.name ?? "";
    const wasReady = findCondition(node.status?.conditions, "Ready")?.status === "True";
    const strategic = { metadata: { uid: node.metadata?.uid }, status: { conditions } };
    await this.#environment.client.patch(Node, name, { strategic }, { subresource: "status" });
    const events = this.#environment.events("node-controller");
    if (wasReady) events.normal(Node, node, "NodeNotReady", `Node ${name} status is now: NodeNotReady`);
  }

  /** Returns after how many milliseconds it is worth looking again. */
  async #taint(node: Node): Promise<number | undefined> {
    const now = this.#environment.clock.now();
    const isEvicting = isExpelling(node) && !this.#zones.isAllDisrupted;
    const pause = !isEvicting && callsForExpelling(node) ? this.#pace.ask(zoneOf(node), now) : undefined;
    const taints = nodeTaints(node, now, { mayExpel: isEvicting || pause === 0 });
    if (!deepEqual(taints, node.spec?.taints ?? []))
      await this.#environment.client.update(Node, { ...node, spec: { ...node.spec, taints } });
    return pause === 0 ? undefined : pause;
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
