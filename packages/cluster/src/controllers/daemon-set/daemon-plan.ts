// The next step of a DaemonSet: first every node gets its pod, then old pods are replaced.
import type { DaemonSet, Node, Pod } from "@kubewright/api";
import { isReady } from "../../workload/pod-state.js";
import { revisionLabel } from "../../workload/template-revisions.js";
import { type DaemonNode, daemonNodes, isDaemonAvailable, oldestFirst } from "./daemon-nodes.js";
import { rolloutPlan, surges } from "./daemon-rollout.js";

export interface DaemonPlan {
  /** Names of nodes that lack a pod. */
  readonly create: readonly string[];
  readonly delete: readonly Pod[];
  /** Pods that have ended, and go when their node's pause is over. */
  readonly ended: readonly Pod[];
}

/** Everything a DaemonSet's plan depends on. */
export interface DaemonState {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  /** The hash of the newest template. */
  readonly hash: string;
  readonly now: number;
}

/** Fills every node that should have a pod, clears the others, then replaces old pods as far as they can be spared. */
export function daemonPlan(state: DaemonState): DaemonPlan {
  const nodes = daemonNodes(state);
  const create = nodes
    .filter(({ shouldRun, pods }) => shouldRun && pods.length === 0)
    .map(({ name }) => name);
  const ended = nodes.filter(({ mayStay }) => mayStay).flatMap((node) => node.ended);
  const surplus = nodes.flatMap((node) => surplusOn(state, node));
  if (create.length + ended.length + surplus.length > 0) return { create, delete: surplus, ended };
  return { ...rolloutPlan(state, nodes), ended };
}

/** Pods that are one too many where they are. */
function surplusOn(state: DaemonState, { mayStay, running, ended }: DaemonNode): readonly Pod[] {
  if (!mayStay) return [...running, ...ended];
  const sorted = running.toSorted(oldestFirst);
  return surges(state.set) ? surplusOfSurge(state, sorted) : sorted.slice(1);
}

/** Two may be there, one old and one new, while the old one is ready and the new one not yet available. */
function surplusOfSurge(state: DaemonState, sorted: readonly Pod[]): readonly Pod[] {
  if (sorted.length <= 1) return [];
  const fresh = sorted.find((pod) => isNew(state, pod));
  const old = sorted.find((pod) => !isNew(state, pod));
  const others = sorted.filter((pod) => pod !== fresh && pod !== old);
  const isDone = fresh && old && (!isReady(old) || isDaemonAvailable(state, fresh));
  return isDone ? [...others, old] : others;
}

const isNew = ({ hash }: DaemonState, { metadata }: Pod): boolean =>
  metadata?.labels?.[revisionLabel] === hash;
