// What each node has and what is taken of it, kept up with every change instead of added up for every pod.
import type { Node, Pod } from "@kubewright/api";
import { portsOf } from "./node-fit.js";
import { plainAmounts, type Requests, requestsOf } from "./pod-requests.js";

export interface NodeLoad {
  readonly node: Node;
  readonly allocatable: Requests;
  readonly requested: Map<string, number>;
  readonly ports: ReadonlySet<string>;
}

interface MutableLoad extends NodeLoad {
  node: Node;
  allocatable: Requests;
  readonly ports: Set<string>;
}

interface Placed {
  readonly node: string;
  readonly requests: Requests;
  readonly ports: readonly string[];
}

export class NodeLoads {
  readonly #loads = new Map<string, MutableLoad>();
  /** By uid. Pods may be known before their node is. */
  readonly #placed = new Map<string, Placed>();

  /** Made anew when nodes come or go. */
  #list: readonly NodeLoad[] | undefined;

  get list(): readonly NodeLoad[] {
    this.#list ??= [...this.#loads.values()];
    return this.#list;
  }

  setNode(node: Node): void {
    const name = node.metadata?.name ?? "";
    const allocatable = plainAmounts(node.status?.allocatable);
    const known = this.#loads.get(name);
    if (known) {
      known.node = node;
      known.allocatable = allocatable;
      return;
    }
    const load: MutableLoad = { node, allocatable, requested: new Map(), ports: new Set() };
    this.#loads.set(name, load);
    this.#list = undefined;
    for (const placed of this.#placed.values()) if (placed.node === name) take(load, placed, 1);
  }

  removeNode(name: string): void {
    this.#loads.delete(name);
    this.#list = undefined;
  }

  /** The pod is, or is about to be, on the node. */
  place(pod: Pod, node: string): void {
    const uid = pod.metadata?.uid ?? "";
    if (this.#placed.get(uid)?.node === node) return;
    this.remove(pod);
    const placed = { node, requests: requestsOf(pod), ports: portsOf(pod) };
    this.#placed.set(uid, placed);
    const load = this.#loads.get(node);
    if (load) take(load, placed, 1);
  }

  /** The pod uses nothing any more; true when it did. */
  remove(pod: Pod): boolean {
    const uid = pod.metadata?.uid ?? "";
    const placed = this.#placed.get(uid);
    if (!placed) return false;
    this.#placed.delete(uid);
    const load = this.#loads.get(placed.node);
    if (load) take(load, placed, -1);
    return true;
  }
}

function take(load: MutableLoad, { requests, ports }: Placed, sign: 1 | -1): void {
  for (const [name, amount] of requests)
    load.requested.set(name, (load.requested.get(name) ?? 0) + sign * amount);
  for (const port of ports) {
    if (sign === 1) load.ports.add(port);
    else load.ports.delete(port);
  }
}
