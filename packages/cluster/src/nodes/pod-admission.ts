// The admission of pods by their node: a kubelet rejects what its node cannot take, whether the scheduler or a client bound it.
import type { Node, Pod } from "@kubewright/api";
import { matchesSelectors, untoleratedTaint } from "../scheduler/node-fit.js";
import { nodeAffinity, selectorsDiffer } from "../scheduler/plugins/node-affinity.js";
import { areFree, nodePorts, portsTaken } from "../scheduler/plugins/node-ports.js";
import { taintToleration, untolerated } from "../scheduler/plugins/taint-toleration.js";
import { NodeState } from "../scheduler/state/node-state.js";
import { type PodInfo, podInfo } from "../scheduler/state/pod-info.js";

/** Why a node rejects a pod, as the status of the pod and an event show it. */
export interface PodRejection {
  readonly reason: string;
  readonly message: string;
}

/** The pods of one node, and what they take of it. */
export class PodAdmission {
  #state: NodeState | undefined;

  /** Counts the pod in, or says why the node cannot take it. Pods that run already are not asked again. */
  admit(pod: Pod, node: Node | undefined): PodRejection | undefined {
    if (!node) return undefined;
    this.#state ??= new NodeState(node);
    this.#state.setNode(node);
    const info = podInfo(pod);
    const isNew = pod.status?.startTime === undefined;
    const rejection = isNew ? rejectionOf(info, this.#state) : undefined;
    if (!rejection) this.#state.add(info);
    return rejection;
  }

  /** The pod changed: its requests may be others, and what is over takes nothing. */
  update(pod: Pod): void {
    const known = this.#state?.pods.get(pod.metadata?.uid ?? "");
    if (!known || known.pod.spec === pod.spec) return;
    this.#state?.remove(known);
    this.#state?.add(podInfo(pod));
  }

  /** The pod is over, or gone. */
  release(uid: string): void {
    const known = this.#state?.pods.get(uid);
    if (known) this.#state?.remove(known);
  }
}

/** The first of the kubelet's objections: room, selectors, ports of the node, taints that drive pods away. */
function rejectionOf(info: PodInfo, state: NodeState): PodRejection | undefined {
  const { pod, ports } = info;
  const { node } = state;
  const lack = lackOf(info, state);
  if (lack) return lack;
  if (!matchesSelectors(pod, node)) return failed(nodeAffinity.name, selectorsDiffer);
  if (!areFree(ports, state.ports)) return failed(nodePorts.name, portsTaken);
  if (untoleratedTaint(pod, node, ["NoExecute"])) return failed(taintToleration.name, untolerated);
  return undefined;
}

const failed = (name: string, why: string): PodRejection => ({
  reason: name,
  message: `Predicate ${name} failed: ${why}`,
});

/** Resources that the node does not have at all may be the cluster's, and are nothing to the node. */
function lackOf(
  { requests }: PodInfo,
  { node, requested, allocatable }: NodeState,
): PodRejection | undefined {
  const has = node.status?.allocatable;
  // A node that has not reported its room yet rejects nothing for want of it.
  if (!has) return undefined;
  const order = ["pods", "cpu", "memory", "ephemeral-storage"];
  const others = [...requests.keys()].filter((name) => !order.includes(name));
  for (const name of [...order, ...others]) {
    const amount = requests.get(name) ?? 0;
    const used = requested.get(name) ?? 0;
    const capacity = allocatable.get(name) ?? 0;
    if (amount === 0 || used + amount <= capacity) continue;
    if (name.includes("/") && !Object.hasOwn(has, name)) continue;
    const numbers = `requested: ${amount}, used: ${used}, capacity: ${capacity}`;
    return { reason: `OutOf${name}`, message: `Node didn't have enough resource: ${name}, ${numbers}` };
  }
  return undefined;
}
