// The number of pods of a selection on each node. A count is made when it is first asked for and kept up to date with every pod
// that comes or goes, so that placing a pod by its neighbours costs as much as there are nodes, not as there are pods.
import type { LabelMatcher } from "@kubewright/api";
import type { PodInfo } from "./pod-info.js";

/** The pods to count. */
export interface Counted {
  readonly namespaces: ReadonlySet<string>;
  readonly selectors: readonly LabelMatcher[];
  /** Whether terminating pods count too. */
  readonly countsTerminating: boolean;
}

/** By the name of a node; nodes that have none are absent. */
export type CountByNode = ReadonlyMap<string, number>;

interface Counter extends Counted {
  readonly byNode: Map<string, number>;
}

/** Selections beyond this many are counted anew when they come back. */
const kept = 512;

export class PodCounters {
  readonly #counters = new Map<string, Counter>();
  readonly #placed: () => Iterable<readonly [PodInfo, string]>;

  constructor(placed: () => Iterable<readonly [PodInfo, string]>) {
    this.#placed = placed;
  }

  count(counted: Counted): CountByNode {
    const id = idOf(counted);
    const known = this.#counters.get(id);
    if (known) return known.byNode;
    const counter = { ...counted, byNode: new Map<string, number>() };
    for (const [info, node] of this.#placed()) if (counts(counter, info)) bump(counter.byNode, node, 1);
    if (this.#counters.size >= kept) {
      for (const oldest of this.#counters.keys()) {
        this.#counters.delete(oldest);
        break;
      }
    }
    this.#counters.set(id, counter);
    return counter.byNode;
  }

  update(info: PodInfo, node: string, sign: 1 | -1): void {
    for (const counter of this.#counters.values())
      if (counts(counter, info)) bump(counter.byNode, node, sign);
  }
}

/** Whether a pod belongs to a selection. */
export function counts({ namespaces, selectors, countsTerminating }: Counted, info: PodInfo): boolean {
  if (!namespaces.has(info.namespace) || (info.isTerminating && !countsTerminating)) return false;
  for (const selector of selectors) if (!selector.matches(info.labels)) return false;
  return true;
}

/** Adds to a count; what comes to nothing is dropped. */
export function bump(map: Map<string, number>, key: string, by: number): void {
  const next = (map.get(key) ?? 0) + by;
  if (next === 0) map.delete(key);
  else map.set(key, next);
}

function idOf({ namespaces, selectors, countsTerminating }: Counted): string {
  const texts = selectors.map((selector) => (selector.isNothing ? "!" : selector.toString()));
  return `${countsTerminating}|${[...namespaces].sort()}|${texts.join("&")}`;
}
