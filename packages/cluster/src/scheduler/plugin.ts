// The interface of scheduling plugins. Each looks at a pod and the cluster once, and returns a function that filters or scores
// nodes; a plugin that does not concern the pod returns nothing and costs nothing more.
import type { ClusterState } from "./state/cluster-state.js";
import type { NodeState } from "./state/node-state.js";
import type { PodInfo } from "./state/pod-info.js";

/** Why a node cannot take a pod. */
export interface Misfit {
  readonly reasons: readonly string[];
  /** Whether the node could take it if other pods went. */
  readonly isResolvable: boolean;
}

/** A rejection by the whole cluster, before any node is filtered. */
export interface Rejection {
  readonly rejection: string;
}

/** Judges nodes for one pod. */
export interface NodeFilter {
  /** Undefined when the node can take the pod. */
  check(node: NodeState): Misfit | undefined;
  /** The only nodes that come into question, when they are known by name. */
  readonly only?: ReadonlySet<string> | undefined;
  /** Another pod is taken to be on the node (1), or not (-1), from here on. */
  update?(other: PodInfo, node: NodeState, sign: 1 | -1): void;
}

export interface FilterPlugin {
  readonly name: string;
  prepare(pod: PodInfo, cluster: ClusterState): NodeFilter | Rejection | undefined;
}

/** Compares nodes for one pod. */
export interface NodeScore {
  score(node: NodeState): number;
  /** Brings the scores of all nodes to 0…100, in place; without it they already are. */
  normalize?(scores: number[]): void;
}

export interface ScorePlugin {
  readonly name: string;
  readonly weight: number;
  prepare(pod: PodInfo, cluster: ClusterState, nodes: readonly NodeState[]): NodeScore | undefined;
}

/** A misfit that other pods are the cause of. */
export const resolvable = (...reasons: string[]): Misfit => ({ reasons, isResolvable: true });

/** A misfit that stays whatever pods go. */
export const final = (...reasons: string[]): Misfit => ({ reasons, isResolvable: false });

/** Spreads scores over 0…100 by the highest; `reversed` makes the lowest the best. */
export function spreadByHighest(scores: number[], reversed = false): void {
  const highest = Math.max(0, ...scores);
  for (const [at, score] of scores.entries()) {
    const share = highest === 0 ? 0 : Math.floor((100 * score) / highest);
    scores[at] = reversed ? 100 - share : share;
  }
}
