// Replaces the old pods of a DaemonSet: the old one first, where pods may be missing; or the new one first, where there may be
// two for a while.
import { type DaemonSet, type Pod, scaleIntOrPercent } from "@kubewright/api";
import { revisionLabel } from "../../workload/template-revisions.js";
import { type DaemonNode, isDaemonAvailable } from "./daemon-nodes.js";
import type { DaemonState } from "./daemon-plan.js";

interface Replacements {
  readonly create: readonly string[];
  readonly delete: readonly Pod[];
}

const nothing: Replacements = { create: [], delete: [] };

/** A node whose pods are one of each kind at most. */
interface UpdatingNode {
  readonly name: string;
  readonly shouldRun: boolean;
  readonly fresh: Pod | undefined;
  readonly old: Pod | undefined;
}

/** Whether a new pod may stand beside the old one of its node. */
export function surges({ spec }: DaemonSet): boolean {
  const { type, rollingUpdate } = spec?.updateStrategy ?? {};
  return type !== "OnDelete" && scaleIntOrPercent(rollingUpdate?.maxSurge ?? 0, 100, "up") > 0;
}

/** The next replacements, given nodes that have what they should. */
export function rolloutPlan(state: DaemonState, nodes: readonly DaemonNode[]): Replacements {
  const { set } = state;
  if (set.spec?.updateStrategy?.type === "OnDelete") return nothing;
  const wanted = nodes.filter(({ shouldRun }) => shouldRun).length;
  const { maxUnavailable = 1, maxSurge = 0 } = set.spec?.updateStrategy?.rollingUpdate ?? {};
  const surge = scaleIntOrPercent(maxSurge, wanted, "up");
  const updating = nodes.filter(({ pods }) => pods.length > 0).map((node) => updatingNode(state, node));
  if (surge > 0) return newFirst(state, updating, surge, wanted);
  return oldFirst(state, updating, Math.max(1, scaleIntOrPercent(maxUnavailable, wanted, "up")));
}

function updatingNode({ hash }: DaemonState, { name, shouldRun, running }: DaemonNode): UpdatingNode {
  const isFresh = ({ metadata }: Pod): boolean => metadata?.labels?.[revisionLabel] === hash;
  return { name, shouldRun, fresh: running.find(isFresh), old: running.find((pod) => !isFresh(pod)) };
}

/** Old pods that do not work go at once, and as many that do as may be missing. */
function oldFirst(state: DaemonState, nodes: readonly UpdatingNode[], most: number): Replacements {
  const isUp = (pod: Pod): boolean => isDaemonAvailable(state, pod);
  const missing = nodes.filter(({ fresh, old }) => {
    const pod = fresh ?? old;
    return !pod || (fresh && old) || !isUp(pod);
  });
  const old = nodes.flatMap((node) => (node.old && !node.fresh ? [node.old] : []));
  const broken = old.filter((pod) => !isUp(pod));
  return {
    create: [],
    delete: [...broken, ...old.filter(isUp).slice(0, Math.max(0, most - missing.length))],
  };
}

/** New pods beside old ones that do not work at once, and beside as many that do as there may be too many. */
function newFirst(
  state: DaemonState,
  nodes: readonly UpdatingNode[],
  most: number,
  wanted: number,
): Replacements {
  const isUp = (pod: Pod | undefined): boolean => pod !== undefined && isDaemonAvailable(state, pod);
  const surging = nodes.filter(({ fresh, old }) => fresh && old && !isUp(fresh)).length;
  const waiting = nodes.filter(({ fresh, old, shouldRun }) => old && !fresh && shouldRun);
  const broken = waiting.filter(({ old }) => !isUp(old));
  const ready = waiting.filter(({ old }) => isUp(old)).slice(0, Math.max(0, most - surging));
  const replaced = nodes.flatMap(({ fresh, old }) => (old && fresh && isUp(fresh) ? [old] : []));
  const misplaced = nodes.flatMap(({ old, fresh, shouldRun }) => (old && !fresh && !shouldRun ? [old] : []));
  const spare = nodes.filter(({ old, fresh }) => isUp(old ?? fresh)).length - wanted;
  const left = misplaced.filter(isUp).slice(0, Math.max(0, spare));
  return {
    create: [...broken, ...ready].map(({ name }) => name),
    delete: [...replaced, ...misplaced.filter((pod) => !isUp(pod)), ...left],
  };
}
