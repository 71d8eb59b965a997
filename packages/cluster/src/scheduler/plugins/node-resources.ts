// Room on the node: whether there is enough, and on which node the most is left and best balanced.
import type { FilterPlugin, Misfit, ScorePlugin } from "../plugin.js";
import type { Requests } from "../pod-requests.js";
import type { NodeState } from "../state/node-state.js";

export const nodeResourcesFit: FilterPlugin = {
  name: "NodeResourcesFit",
  prepare({ requests }) {
    const wanted = [...requests];
    return { check: (node) => (hasRoom(wanted, node) ? undefined : lack(requests, node)) };
  },
};

function hasRoom(
  wanted: readonly (readonly [string, number])[],
  { requested, allocatable }: NodeState,
): boolean {
  for (const [name, amount] of wanted)
    if ((requested.get(name) ?? 0) + amount > (allocatable.get(name) ?? 0)) return false;
  return true;
}

function lack(requests: Requests, { requested, allocatable }: NodeState): Misfit {
  const reasons: string[] = [];
  let isResolvable = true;
  for (const [name, amount] of requests) {
    const all = allocatable.get(name) ?? 0;
    if ((requested.get(name) ?? 0) + amount <= all) continue;
    reasons.push(name === "pods" ? "Too many pods" : `Insufficient ${name}`);
    if (amount > all) isResolvable = false;
  }
  return { reasons, isResolvable };
}

export const leastAllocated: ScorePlugin = {
  name: "NodeResourcesFit",
  weight: 1,
  prepare({ weight }) {
    return {
      score: ({ allocatable, cpu, memory }) =>
        Math.floor(
          (freeShare(cpu + weight.cpu, allocatable.get("cpu") ?? 0) +
            freeShare(memory + weight.memory, allocatable.get("memory") ?? 0)) /
            2,
        ),
    };
  },
};

function freeShare(taken: number, all: number): number {
  return all === 0 || taken > all ? 0 : Math.floor(((all - taken) * 100) / all);
}

export const balancedAllocation: ScorePlugin = {
  name: "NodeResourcesBalancedAllocation",
  weight: 1,
  prepare({ requests }) {
    const cpu = requests.get("cpu") ?? 0;
    const memory = requests.get("memory") ?? 0;
    if (cpu === 0 && memory === 0) return undefined;
    return {
      score({ allocatable, requested }) {
        const share = (name: string, more: number): number => {
          const all = allocatable.get(name) ?? 0;
          return all === 0 ? 1 : Math.min(1, ((requested.get(name) ?? 0) + more) / all);
        };
        return Math.floor((1 - Math.abs(share("cpu", cpu) - share("memory", memory)) / 2) * 100);
      },
    };
  },
};
