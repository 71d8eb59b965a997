// Everything decisions are made from: nodes, the pods on them, pods that have been promised a node, and counts over them.
import { deepEqual, type Node, type Pod } from "@kubewright/api";
import type { NamespaceLabels } from "./affinity-term.js";
import { NodeState } from "./node-state.js";
import { PlacedTerms } from "./placed-terms.js";
import { PodCounters } from "./pod-counters.js";
import { type PodInfo, podInfo } from "./pod-info.js";
import type { VolumeLister } from "./volume-lister.js";

interface Placed {
  readonly info: PodInfo;
  readonly node: string;
}

export interface ClusterStateOptions {
  readonly namespaceLabels: NamespaceLabels;
  readonly namespaces: () => Iterable<string>;
  readonly volumes: VolumeLister;
}

export class ClusterState {
  readonly namespaceLabels: NamespaceLabels;
  readonly namespaces: () => Iterable<string>;
  readonly volumes: VolumeLister;
  readonly terms = new PlacedTerms();
  readonly counters: PodCounters;
  readonly #nodes = new Map<string, NodeState>();
  /** By uid. Pods may be known before their node is. */
  readonly #placed = new Map<string, Placed>();
  /** By uid: pods that wait for a node to be cleared for them. */
  readonly #nominated = new Map<string, Placed>();
  /** By key of the claim: how many placed pods use it. */
  readonly #claims = new Map<string, number>();
  #list: readonly NodeState[] | undefined;

  constructor(options: ClusterStateOptions) {
    this.namespaceLabels = options.namespaceLabels;
    this.namespaces = options.namespaces;
    this.volumes = options.volumes;
    this.counters = new PodCounters(() => this.#pairs());
  }

  /** Made anew when nodes come or go. */
  get nodes(): readonly NodeState[] {
    this.#list ??= [...this.#nodes.values()];
    return this.#list;
  }

  node(name: string): NodeState | undefined {
    return this.#nodes.get(name);
  }

  setNode(node: Node): void {
    const known = this.#nodes.get(node.metadata?.name ?? "");
    if (known) {
      known.setNode(node);
      return;
    }
    const state = new NodeState(node);
    this.#nodes.set(state.name, state);
    this.#list = undefined;
    for (const placed of this.#placed.values()) if (placed.node === state.name) state.add(placed.info);
  }

  removeNode(name: string): void {
    this.#nodes.delete(name);
    this.#list = undefined;
  }

  isPlaced(uid: string): boolean {
    return this.#placed.has(uid);
  }

  /** The pod is, or is about to be, on the node. True when what decisions depend on has changed. */
  place(pod: Pod, node: string): boolean {
    const uid = pod.metadata?.uid ?? "";
    const known = this.#placed.get(uid);
    if (known && known.node === node && isSame(known.info, pod)) return false;
    this.#nominated.delete(uid);
    if (known) this.#change(known, -1);
    const placed = { info: podInfo(pod), node };
    this.#placed.set(uid, placed);
    this.#change(placed, 1);
    return true;
  }

  /** The pod uses nothing any more; true when it did. */
  remove(pod: Pod): boolean {
    const uid = pod.metadata?.uid ?? "";
    const wasNominated = this.#nominated.delete(uid);
    const placed = this.#placed.get(uid);
    if (!placed) return wasNominated;
    this.#placed.delete(uid);
    this.#change(placed, -1);
    return true;
  }

  /** Keeps room on a node that is being cleared for the pod; an empty name gives it up. */
  nominate(info: PodInfo, node: string): void {
    if (node) this.#nominated.set(info.uid, { info, node });
    else this.#nominated.delete(info.uid);
  }

  /** Pods at least as important as this one that wait for the node to be cleared. */
  nominatedOn(node: string, { uid, priority }: PodInfo): readonly PodInfo[] {
    if (this.#nominated.size === 0) return [];
    return [...this.#nominated.values()]
      .filter((one) => one.node === node && one.info.uid !== uid && one.info.priority >= priority)
      .map(({ info }) => info);
  }

  /** Pods less important than this one that wait for the node to be cleared. */
  lesserNominatedOn(node: string, { uid, priority }: PodInfo): readonly PodInfo[] {
    return [...this.#nominated.values()]
      .filter((one) => one.node === node && one.info.uid !== uid && one.info.priority < priority)
      .map(({ info }) => info);
  }

  isClaimUsed(key: string): boolean {
    return this.#claims.has(key);
  }

  #change({ info, node }: Placed, sign: 1 | -1): void {
    const state = this.#nodes.get(node);
    if (sign === 1) state?.add(info);
    else state?.remove(info);
    this.terms.update(info, node, sign);
    this.counters.update(info, node, sign);
    for (const claim of info.claims) {
      const key = `${info.namespace}/${claim}`;
      const left = (this.#claims.get(key) ?? 0) + sign;
      if (left > 0) this.#claims.set(key, left);
      else this.#claims.delete(key);
    }
  }

  *#pairs(): Iterable<readonly [PodInfo, string]> {
    for (const { info, node } of this.#placed.values()) yield [info, node];
  }
}

/** Status changes, which are most changes, mean nothing here. */
function isSame({ pod, labels, isTerminating }: PodInfo, now: Pod): boolean {
  return (
    pod.metadata?.generation === now.metadata?.generation &&
    isTerminating === (now.metadata?.deletionTimestamp !== undefined) &&
    (labels === now.metadata?.labels || deepEqual(labels, now.metadata?.labels ?? {}))
  );
}
