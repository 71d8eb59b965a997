// Pods of a kind spread over zones, hosts or any other label: which nodes spread them best. Pods of a workload that says
// nothing about it are spread over hosts and zones, as the real scheduler does by default.
import type { NodeScore, ScorePlugin } from "../plugin.js";
import type { ClusterState } from "../state/cluster-state.js";
import type { NodeState } from "../state/node-state.js";
import type { PodInfo } from "../state/pod-info.js";
import { constraintsOf, hasLabels, type SpreadConstraint } from "./topology-spread.js";

const hostname = "kubernetes.io/hostname";
const zone = "topology.kubernetes.io/zone";

export const topologySpreadScore: ScorePlugin = {
  name: "PodTopologySpread",
  weight: 2,
  prepare(pod, cluster, nodes) {
    if ((pod.pod.spec?.topologySpreadConstraints ?? []).length === 0) return byDefault(pod, cluster, nodes);
    const constraints = constraintsOf(pod, "ScheduleAnyway");
    if (constraints.length === 0) return undefined;
    const scored = nodes.filter((node) => hasLabels(node, constraints));
    const parts = constraints.map((one) => domainsOf(one, cluster, scored));
    return scoreOf((node) => hasLabels(node, constraints), parts);
  },
};

/** How crowded a domain is, and how much its constraint weighs. */
interface Part {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly weight: number;
  count(node: NodeState): number;
}

function domainsOf(constraint: SpreadConstraint, cluster: ClusterState, scored: readonly NodeState[]): Part {
  const { topologyKey, maxSkew } = constraint;
  const byNode = cluster.counters.count(constraint.counted);
  if (topologyKey === hostname)
    return {
      topologyKey,
      maxSkew,
      weight: Math.log(scored.length + 2),
      count: ({ name }) => byNode.get(name) ?? 0,
    };
  const domains = new Map<string, number>();
  for (const { labels } of scored) domains.set(labels[topologyKey] ?? "", 0);
  for (const [name, count] of byNode) {
    const node = cluster.node(name);
    const value = node?.labels[topologyKey];
    if (!node || value === undefined || !domains.has(value) || !constraint.includes(node)) continue;
    domains.set(value, (domains.get(value) ?? 0) + count);
  }
  return {
    topologyKey,
    maxSkew,
    weight: Math.log(domains.size + 2),
    count: ({ labels }) => domains.get(labels[topologyKey] ?? "") ?? 0,
  };
}

function byDefault(
  { owner }: PodInfo,
  cluster: ClusterState,
  nodes: readonly NodeState[],
): NodeScore | undefined {
  if (owner === undefined) return undefined;
  const zones = new Map<string, number>();
  for (const { labels } of nodes) if (labels[zone] !== undefined) zones.set(labels[zone], 0);
  if (zones.size > 0)
    for (const { labels, owners } of cluster.nodes) {
      const value = labels[zone];
      if (value !== undefined && zones.has(value))
        zones.set(value, (zones.get(value) ?? 0) + (owners.get(owner) ?? 0));
    }
  const hosts: Part = {
    topologyKey: hostname,
    maxSkew: 3,
    weight: Math.log(nodes.length + 2),
    count: ({ owners }) => owners.get(owner) ?? 0,
  };
  const byZone: Part = {
    topologyKey: zone,
    maxSkew: 5,
    weight: Math.log(zones.size + 2),
    count: ({ labels }) => zones.get(labels[zone] ?? "") ?? 0,
  };
  return scoreOf(() => true, zones.size > 0 ? [hosts, byZone] : [hosts]);
}

/** Marks nodes that the constraints do not apply to. */
const unscored = -1;

function scoreOf(isScored: (node: NodeState) => boolean, parts: readonly Part[]): NodeScore {
  return {
    score(node) {
      if (!isScored(node)) return unscored;
      let sum = 0;
      for (const { topologyKey, maxSkew, weight, count } of parts)
        if (node.labels[topologyKey] !== undefined) sum += count(node) * weight + maxSkew - 1;
      return Math.round(sum);
    },
    normalize(scores) {
      let low = Number.POSITIVE_INFINITY;
      let high = 0;
      for (const score of scores) {
        if (score === unscored) continue;
        if (score < low) low = score;
        if (score > high) high = score;
      }
      for (const [at, score] of scores.entries())
        scores[at] =
          score === unscored ? 0 : high === 0 ? 100 : Math.floor((100 * (high + low - score)) / high);
    },
  };
}
