// A node, the pods on it and what they take of it, kept up with every change instead of added up for every pod.
import type { Labels, Node } from "@kubewright/api";
import { plainAmounts, type Requests } from "../pod-requests.js";
import type { HostPort, PodInfo } from "./pod-info.js";

export class NodeState {
  readonly name: string;
  /** By uid. */
  readonly pods = new Map<string, PodInfo>();
  readonly requested = new Map<string, number>();
  /** By controller: how many of its pods are here. */
  readonly owners = new Map<string, number>();
  /** Of pods that ask for ports of the node. */
  readonly ports: HostPort[] = [];
  cpu = 0;
  memory = 0;
  node: Node;
  labels: Labels;
  allocatable: Requests;

  constructor(node: Node) {
    this.name = node.metadata?.name ?? "";
    this.node = node;
    this.labels = node.metadata?.labels ?? {};
    this.allocatable = plainAmounts(node.status?.allocatable);
  }

  setNode(node: Node): void {
    if (node.status?.allocatable !== this.node.status?.allocatable)
      this.allocatable = plainAmounts(node.status?.allocatable);
    this.node = node;
    this.labels = node.metadata?.labels ?? {};
  }

  add(info: PodInfo): void {
    this.pods.set(info.uid, info);
    this.#take(info, 1);
    for (const port of info.ports) this.ports.push(port);
  }

  remove(info: PodInfo): void {
    if (!this.pods.delete(info.uid)) return;
    this.#take(info, -1);
    for (const port of info.ports) {
      const at = this.ports.indexOf(port);
      if (at >= 0) this.ports.splice(at, 1);
    }
  }

  #take({ requests, weight, owner, isTerminating }: PodInfo, sign: 1 | -1): void {
    for (const [name, amount] of requests)
      this.requested.set(name, (this.requested.get(name) ?? 0) + sign * amount);
    this.cpu += sign * weight.cpu;
    this.memory += sign * weight.memory;
    if (owner === undefined || isTerminating) return;
    const left = (this.owners.get(owner) ?? 0) + sign;
    if (left > 0) this.owners.set(owner, left);
    else this.owners.delete(owner);
  }
}
