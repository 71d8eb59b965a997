// The InterPodAffinity score: nodes whose pods this pod prefers, and nodes whose pods prefer this one.
import type { ScorePlugin } from "../plugin.js";
import { type AffinityTerm, meansPod } from "../state/affinity-term.js";
import type { ClusterState } from "../state/cluster-state.js";
import { bump, type CountByNode } from "../state/pod-counters.js";
import { countTogether } from "./inter-pod-affinity.js";

export const interPodAffinityScore: ScorePlugin = {
  name: "InterPodAffinity",
  weight: 2,
  prepare(pod, cluster) {
    const { prefers } = pod.affinity;
    if (prefers.length === 0 && cluster.terms.size === 0) return undefined;
    const scores = new Map<string, Map<string, number>>();
    for (const { term, weight } of prefers)
      credit(scores, term, countTogether([term], cluster), weight, cluster);
    for (const { term, byNode } of cluster.terms.scored)
      if (meansPod(term, pod, cluster.namespaceLabels)) credit(scores, term, byNode, 1, cluster);
    if (scores.size === 0) return undefined;
    return {
      score({ labels }) {
        let sum = 0;
        for (const [key, byValue] of scores) sum += byValue.get(labels[key] ?? "") ?? 0;
        return sum;
      },
      normalize: spreadBetween,
    };
  },
};

function credit(
  scores: Map<string, Map<string, number>>,
  { topologyKey }: AffinityTerm,
  byNode: CountByNode,
  weight: number,
  cluster: ClusterState,
): void {
  for (const [name, count] of byNode) {
    const value = cluster.node(name)?.labels[topologyKey];
    if (value === undefined) continue;
    const byValue = scores.get(topologyKey) ?? new Map<string, number>();
    scores.set(topologyKey, byValue);
    bump(byValue, value, count * weight);
  }
}

/** The lowest becomes 0, the highest 100. */
function spreadBetween(scores: number[]): void {
  const low = Math.min(...scores);
  const range = Math.max(...scores) - low;
  for (const [at, score] of scores.entries())
    scores[at] = range === 0 ? 0 : Math.floor((100 * (score - low)) / range);
}
