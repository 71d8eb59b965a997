// Pods that must be, or must not be, where certain other pods are; and pods in place that will not have this one near.
import { type FilterPlugin, final, type NodeFilter, resolvable } from "../plugin.js";
import { type AffinityTerm, coversNamespace, meansPod } from "../state/affinity-term.js";
import type { ClusterState } from "../state/cluster-state.js";
import type { NodeState } from "../state/node-state.js";
import { bump, type CountByNode } from "../state/pod-counters.js";
import type { PodInfo } from "../state/pod-info.js";

const affinityMisfit = final("node(s) didn't match pod affinity rules");
const antiAffinityMisfit = resolvable("node(s) didn't match pod anti-affinity rules");
const existingMisfit = resolvable("node(s) didn't satisfy existing pods anti-affinity rules");

/** A term and how many pods speak for it, by value of its topology label. */
interface Tally {
  readonly term: AffinityTerm;
  readonly byValue: Map<string, number>;
}

export const interPodAffinity: FilterPlugin = {
  name: "InterPodAffinity",
  prepare(pod, cluster) {
    const { requires, avoids } = pod.affinity;
    const existing: Tally[] = [];
    for (const { term, byNode } of cluster.terms.avoids)
      if (meansPod(term, pod, cluster.namespaceLabels)) existing.push(tally(term, byNode, cluster));
    if (requires.length + avoids.length + existing.length === 0) return undefined;
    // Affinity counts pods that all terms mean; anti-affinity is broken by each term alone.
    const together = requires.length > 0 ? countTogether(requires, cluster) : new Map<string, number>();
    return new AffinityFilter(pod, cluster, {
      requires: requires.map((term) => tally(term, together, cluster)),
      avoids: avoids.map((term) => tally(term, countTogether([term], cluster), cluster)),
      existing,
    });
  },
};

interface Tallies {
  readonly requires: readonly Tally[];
  readonly avoids: readonly Tally[];
  readonly existing: Tally[];
}

class AffinityFilter implements NodeFilter {
  readonly #pod: PodInfo;
  readonly #cluster: ClusterState;
  readonly #tallies: Tallies;
  readonly #meansItself: boolean;

  constructor(pod: PodInfo, cluster: ClusterState, tallies: Tallies) {
    this.#pod = pod;
    this.#cluster = cluster;
    this.#tallies = tallies;
    this.#meansItself = tallies.requires.every(({ term }) => meansPod(term, pod, cluster.namespaceLabels));
  }

  check({ labels }: NodeState) {
    const { requires, avoids, existing } = this.#tallies;
    if (requires.length > 0 && !this.#isNearEnough(labels)) return affinityMisfit;
    if (avoids.some((one) => isMet(one, labels))) return antiAffinityMisfit;
    return existing.some((one) => isMet(one, labels)) ? existingMisfit : undefined;
  }

  update(other: PodInfo, { labels }: NodeState, sign: 1 | -1): void {
    const { requires, avoids, existing } = this.#tallies;
    const namespaces = this.#cluster.namespaceLabels;
    if (requires.every(({ term }) => meansPod(term, other, namespaces)))
      for (const one of requires) change(one, labels, sign);
    for (const one of avoids) if (meansPod(one.term, other, namespaces)) change(one, labels, sign);
    for (const term of other.affinity.avoids) {
      if (!meansPod(term, this.#pod, namespaces)) continue;
      const known = existing.find((one) => one.term.id === term.id) ?? { term, byValue: new Map() };
      if (!existing.includes(known)) existing.push(known);
      change(known, labels, sign);
    }
  }

  /** The first pod of a group that wants to be together may start anywhere the labels exist. */
  #isNearEnough(labels: NodeState["labels"]): boolean {
    const { requires } = this.#tallies;
    if (requires.some(({ term }) => labels[term.topologyKey] === undefined)) return false;
    if (requires.every((one) => isMet(one, labels))) return true;
    return this.#meansItself && requires.every(({ byValue }) => byValue.size === 0);
  }
}

function isMet({ term, byValue }: Tally, labels: NodeState["labels"]): boolean {
  const value = labels[term.topologyKey];
  return value !== undefined && (byValue.get(value) ?? 0) > 0;
}

function change({ term, byValue }: Tally, labels: NodeState["labels"], by: number): void {
  const value = labels[term.topologyKey];
  if (value !== undefined) bump(byValue, value, by);
}

/** By node: how many pods all of the terms mean. */
export function countTogether(terms: readonly AffinityTerm[], cluster: ClusterState): CountByNode {
  return cluster.counters.count({
    namespaces: namespacesOf(terms, cluster),
    selectors: terms.map(({ selector }) => selector),
    countsTerminating: true,
  });
}

function namespacesOf(terms: readonly AffinityTerm[], cluster: ClusterState): ReadonlySet<string> {
  const [only] = terms;
  if (only && terms.length === 1 && !only.namespaceSelector) return only.namespaces;
  const candidates = terms.some(({ namespaceSelector }) => namespaceSelector)
    ? cluster.namespaces()
    : (only?.namespaces ?? []);
  return new Set(
    [...candidates].filter((name) =>
      terms.every((term) => coversNamespace(term, name, cluster.namespaceLabels)),
    ),
  );
}

/** Counts by node, brought together by the value of the term's topology label. */
function tally(term: AffinityTerm, byNode: CountByNode, cluster: ClusterState): Tally {
  const byValue = new Map<string, number>();
  for (const [name, count] of byNode) {
    const value = cluster.node(name)?.labels[term.topologyKey];
    if (value !== undefined) bump(byValue, value, count);
  }
  return { term, byValue };
}
