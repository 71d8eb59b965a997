// Why a pod fits nowhere, in the words users know.
import type { Misfit } from "./plugin.js";

/** The reason a pod is unschedulable: the cluster as a whole, or each node for its own reasons. */
export interface Failure {
  readonly nodes: number;
  readonly rejection?: string | undefined;
  /** By node; those left out count with `others`. */
  readonly misfits: ReadonlyMap<string, Misfit>;
  readonly others?: string | undefined;
}

/** `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.` */
export function failureMessage({ nodes, rejection, misfits, others }: Failure): string {
  const start = `0/${nodes} nodes are available`;
  if (rejection !== undefined) return `${start}: ${rejection}.`;
  const times = new Map<string, number>();
  for (const { reasons } of misfits.values())
    for (const reason of reasons) times.set(reason, (times.get(reason) ?? 0) + 1);
  const left = nodes - misfits.size;
  if (others !== undefined && left > 0) times.set(others, (times.get(others) ?? 0) + left);
  const listed = [...times].map(([reason, count]) => `${count} ${reason}`).sort();
  return listed.length > 0 ? `${start}: ${listed.join(", ")}.` : `${start}.`;
}
