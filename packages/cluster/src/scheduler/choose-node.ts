// Picks the node for a pod among those that fit: the one with the most room left.
import type { Pod } from "@kubewright/api";
import { misfits } from "./node-fit.js";
import type { NodeLoad } from "./node-loads.js";
import type { Requests } from "./pod-requests.js";

export type Choice = { readonly node: string } | { readonly message: string };

/** Of large clusters, only so many fitting nodes are compared, as the real scheduler does. */
const enough = 100;

/** The best node, or why there is none. `start` says where to begin looking, so that load spreads. */
export function chooseNode(pod: Pod, requests: Requests, nodes: readonly NodeLoad[], start: number): Choice {
  const reasons = new Map<string, number>();
  let best: NodeLoad | undefined;
  let bestScore = -1;
  let fitting = 0;
  for (let at = 0; at < nodes.length && fitting < enough; at++) {
    const load = nodes[(start + at) % nodes.length];
    if (!load) continue;
    const why = misfits(pod, requests, load);
    for (const reason of why) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    if (why.length > 0) continue;
    fitting++;
    const score = roomAfter(requests, load);
    if (score > bestScore) [best, bestScore] = [load, score];
  }
  if (best) return { node: best.node.metadata?.name ?? "" };
  return { message: noNode(nodes.length, reasons) };
}

/** From 0 to 3: how much of CPU, memory and pod slots is left. */
function roomAfter(requests: Requests, { allocatable, requested }: NodeLoad): number {
  let score = 0;
  for (const name of ["cpu", "memory", "pods"]) {
    const all = allocatable.get(name) ?? 0;
    if (all > 0) score += 1 - ((requested.get(name) ?? 0) + (requests.get(name) ?? 0)) / all;
  }
  return score;
}

function noNode(count: number, reasons: ReadonlyMap<string, number>): string {
  if (count === 0) return "no nodes available to schedule pods";
  const listed = [...reasons].map(([reason, times]) => `${times} ${reason}`).sort();
  const misfit = `0/${count} nodes are available: ${listed.join(", ")}.`;
  const cause = [...reasons.keys()].every((reason) => /^Insufficient|^Too many/.test(reason))
    ? "No preemption victims found for incoming pod"
    : "Preemption is not helpful for scheduling";
  return `${misfit} preemption: 0/${count} nodes are available: ${count} ${cause}.`;
}
