// Pods of a kind spread over zones, hosts or any other label: what a constraint forbids.
import type { LabelMatcher, Pod, TopologySpreadConstraint } from "@kubewright/api";
import { matchesSelectors, untoleratedTaint } from "../node-fit.js";
import { type FilterPlugin, final, type NodeFilter, resolvable } from "../plugin.js";
import { withKeys } from "../state/affinity-term.js";
import type { ClusterState } from "../state/cluster-state.js";
import type { NodeState } from "../state/node-state.js";
import { type Counted, counts } from "../state/pod-counters.js";
import type { PodInfo } from "../state/pod-info.js";

const skewed = resolvable("node(s) didn't match pod topology spread constraints");
const unlabelled = final("node(s) didn't match pod topology spread constraints (missing required label)");

export interface SpreadConstraint {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  readonly counted: Counted;
  readonly selector: LabelMatcher;
  /** Whether pods on the node count. */
  includes(node: NodeState): boolean;
}

/** The constraints of a pod: those that must hold (DoNotSchedule), or those that only score (ScheduleAnyway). */
export function constraintsOf(
  { pod, namespace, labels }: PodInfo,
  when: TopologySpreadConstraint["whenUnsatisfiable"],
): readonly SpreadConstraint[] {
  return (pod.spec?.topologySpreadConstraints ?? [])
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === when)
    .map((one) => {
      const selector = withKeys(one.labelSelector, labels, one.matchLabelKeys);
      const { topologyKey, maxSkew, minDomains = 1 } = one;
      const counted = { namespaces: new Set([namespace]), selectors: [selector], countsTerminating: false };
      return { topologyKey, maxSkew, minDomains, selector, counted, includes: inclusion(pod, one) };
    });
}

function inclusion(pod: Pod, constraint: TopologySpreadConstraint): (node: NodeState) => boolean {
  const honorsAffinity = constraint.nodeAffinityPolicy !== "Ignore";
  const honorsTaints = constraint.nodeTaintsPolicy === "Honor";
  return ({ node }) =>
    (!honorsAffinity || matchesSelectors(pod, node)) && (!honorsTaints || !untoleratedTaint(pod, node));
}

/** By constraint and value of its label: how many pods there are. Values without pods are there with 0. */
function countDomains(
  constraints: readonly SpreadConstraint[],
  cluster: ClusterState,
): Map<string, number>[] {
  const domains = constraints.map(() => new Map<string, number>());
  const counted = constraints.map((one) => cluster.counters.count(one.counted));
  for (const node of cluster.nodes) {
    if (!hasLabels(node, constraints)) continue;
    for (const [at, constraint] of constraints.entries()) {
      if (!constraint.includes(node)) continue;
      const value = node.labels[constraint.topologyKey] ?? "";
      const byValue = domains[at];
      byValue?.set(value, (byValue.get(value) ?? 0) + (counted[at]?.get(node.name) ?? 0));
    }
  }
  return domains;
}

/** Whether the node has the label of every constraint. */
export function hasLabels({ labels }: NodeState, constraints: readonly SpreadConstraint[]): boolean {
  return constraints.every(({ topologyKey }) => labels[topologyKey] !== undefined);
}

export const topologySpread: FilterPlugin = {
  name: "PodTopologySpread",
  prepare(pod, cluster) {
    const constraints = constraintsOf(pod, "DoNotSchedule");
    return constraints.length === 0 ? undefined : new SpreadFilter(pod, constraints, cluster);
  },
};

class SpreadFilter implements NodeFilter {
  readonly #constraints: readonly SpreadConstraint[];
  readonly #domains: readonly Map<string, number>[];
  /** Whether the pod itself counts, by constraint. */
  readonly #self: readonly number[];
  #least: readonly number[] | undefined;

  constructor(pod: PodInfo, constraints: readonly SpreadConstraint[], cluster: ClusterState) {
    this.#constraints = constraints;
    this.#domains = countDomains(constraints, cluster);
    this.#self = constraints.map(({ selector }) => (selector.matches(pod.labels) ? 1 : 0));
  }

  check({ labels }: NodeState) {
    this.#least ??= this.#constraints.map((one, at) => leastOf(one, this.#domains[at]));
    for (const [at, { topologyKey, maxSkew }] of this.#constraints.entries()) {
      const value = labels[topologyKey];
      if (value === undefined) return unlabelled;
      const there = (this.#domains[at]?.get(value) ?? 0) + (this.#self[at] ?? 0);
      if (there - (this.#least[at] ?? 0) > maxSkew) return skewed;
    }
    return undefined;
  }

  update(other: PodInfo, node: NodeState, sign: 1 | -1): void {
    if (!hasLabels(node, this.#constraints)) return;
    this.#least = undefined;
    for (const [at, { topologyKey, counted, includes }] of this.#constraints.entries()) {
      if (!counts(counted, other) || !includes(node)) continue;
      const value = node.labels[topologyKey] ?? "";
      this.#domains[at]?.set(value, (this.#domains[at]?.get(value) ?? 0) + sign);
    }
  }
}

/** The fewest pods of any domain; none, while there are fewer domains than asked for. */
function leastOf({ minDomains }: SpreadConstraint, domains: ReadonlyMap<string, number> | undefined): number {
  if (!domains || domains.size < minDomains) return 0;
  let least = Number.POSITIVE_INFINITY;
  for (const count of domains.values()) if (count < least) least = count;
  return Number.isFinite(least) ? least : 0;
}
