// Picks the node for a pod: of the nodes that can take it, enough are compared and the best wins.
import type { Failure } from "./fit-message.js";
import { Fitting } from "./fitting.js";
import type { Misfit } from "./plugin.js";
import { scorePlugins } from "./plugins/index.js";
import type { ClusterState } from "./state/cluster-state.js";
import type { NodeState } from "./state/node-state.js";
import type { PodInfo } from "./state/pod-info.js";

export type Choice =
  | { readonly node: NodeState }
  | {
      readonly failure: Failure;
      /** Absent when the cluster as a whole said no. */
      readonly fitting?: Fitting | undefined;
      readonly objectors: ReadonlySet<string>;
    };

/** The best node, or why there is none. `start` says where to begin looking, so that load spreads. */
export function chooseNode(pod: PodInfo, cluster: ClusterState, start: number): Choice {
  const fitting = Fitting.prepare(pod, cluster);
  const nodes = cluster.nodes.length;
  if (!(fitting instanceof Fitting)) {
    const failure = { nodes, rejection: fitting.rejection, misfits: new Map() };
    return { failure, objectors: new Set([fitting.plugin]) };
  }
  const misfits = new Map<string, Misfit>();
  const feasible = feasibleNodes(fitting, cluster, start, misfits);
  const best = feasible.length > 1 ? bestOf(pod, cluster, feasible) : feasible[0];
  if (best) return { node: best };
  const others = fitting.narrowed && `node(s) didn't satisfy plugin(s) [${fitting.narrowed.plugin}]`;
  if (fitting.narrowed) fitting.objectors.add(fitting.narrowed.plugin);
  return { failure: { nodes, misfits, others }, fitting, objectors: fitting.objectors };
}

function feasibleNodes(
  fitting: Fitting,
  cluster: ClusterState,
  start: number,
  misfits: Map<string, Misfit>,
): readonly NodeState[] {
  const found: NodeState[] = [];
  const judge = (node: NodeState): void => {
    const misfit = fitting.check(node);
    if (misfit) misfits.set(node.name, misfit);
    else found.push(node);
  };
  const promised = cluster.node(fitting.pod.pod.status?.nominatedNodeName ?? "");
  if (promised && !fitting.check(promised)) return [promised];
  const { only } = fitting.narrowed ?? {};
  if (only) {
    for (const name of only) {
      const node = cluster.node(name);
      if (node) judge(node);
    }
    return found;
  }
  const { nodes } = cluster;
  const enough = nodesToFind(nodes.length);
  for (let at = 0; at < nodes.length && found.length < enough; at++) {
    const node = nodes[(start + at) % nodes.length];
    if (node) judge(node);
  }
  return found;
}

/** Of large clusters only a share of the nodes is compared: half of a hundred, a twentieth of thousands. */
function nodesToFind(nodes: number): number {
  if (nodes < 100) return nodes;
  const percent = Math.max(5, 50 - Math.floor(nodes / 125));
  return Math.max(100, Math.floor((nodes * percent) / 100));
}

function bestOf(pod: PodInfo, cluster: ClusterState, nodes: readonly NodeState[]): NodeState | undefined {
  const totals = new Array<number>(nodes.length).fill(0);
  for (const plugin of scorePlugins) {
    const judge = plugin.prepare(pod, cluster, nodes);
    if (!judge) continue;
    const scores = nodes.map((node) => judge.score(node));
    judge.normalize?.(scores);
    for (let at = 0; at < scores.length; at++)
      totals[at] = (totals[at] ?? 0) + plugin.weight * (scores[at] ?? 0);
  }
  let best = 0;
  for (let at = 1; at < totals.length; at++) if ((totals[at] ?? 0) > (totals[best] ?? 0)) best = at;
  return nodes[best];
}
