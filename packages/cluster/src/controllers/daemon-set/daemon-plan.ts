// What a DaemonSet does next, and what it says of itself.
import {
  type DaemonSet,
  type DaemonSetStatus,
  type Node,
  type Pod,
  scaleIntOrPercent,
} from "@kubewright/api";
import { isAvailable, isFinished, isReady } from "../../workload/pod-facts.js";
import { revisionLabel } from "../../workload/template-revisions.js";
import { nodeOf, placeOn } from "./daemon-pods.js";

export interface DaemonPlan {
  /** Names of nodes that lack a pod. */
  readonly create: readonly string[];
  readonly delete: readonly Pod[];
}

const isGoing = ({ metadata }: Pod): boolean => metadata?.deletionTimestamp !== undefined;
const isOld = (pod: Pod, hash: string): boolean => pod.metadata?.labels?.[revisionLabel] !== hash;

/** By the name of the node they are on or meant for. */
export function byNode(pods: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> {
  const found = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = nodeOf(pod) ?? "";
    const list = found.get(node);
    if (list) list.push(pod);
    else found.set(node, [pod]);
  }
  return found;
}

/** Fills every node that should have a pod, clears the others, then replaces old pods as far as they can be spared. */
export function daemonPlan(
  set: DaemonSet,
  nodes: readonly Node[],
  pods: readonly Pod[],
  hash: string,
  now: number,
): DaemonPlan {
  const placed = byNode(pods);
  const create: string[] = [];
  const doomed: Pod[] = [];
  for (const node of nodes) {
    const name = node.metadata?.name ?? "";
    const there = placed.get(name) ?? [];
    const { shouldRun, mayStay } = placeOn(set, node);
    if (!mayStay) doomed.push(...there);
    if (!shouldRun) continue;
    const [kept, ...surplus] = there.filter((pod) => !isGoing(pod) && !isFinished(pod));
    doomed.push(...surplus, ...there.filter(isFinished));
    if (!kept && there.every(isFinished)) create.push(name);
  }
  const names = new Set(nodes.map(({ metadata }) => metadata?.name));
  for (const [node, there] of placed) if (!names.has(node)) doomed.push(...there);
  const old = create.length + doomed.length === 0 ? replaceable(set, nodes, pods, hash, now) : [];
  return { create, delete: [...doomed, ...old].filter((pod) => !isGoing(pod)) };
}

/** Old pods that do not work at once, and as many that do as may be missing. */
function replaceable(
  set: DaemonSet,
  nodes: readonly Node[],
  pods: readonly Pod[],
  hash: string,
  now: number,
): readonly Pod[] {
  if (set.spec?.updateStrategy?.type === "OnDelete") return [];
  const wanted = nodes.filter((node) => placeOn(set, node).shouldRun).length;
  const most = Math.max(
    1,
    scaleIntOrPercent(set.spec?.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1, wanted, "up"),
  );
  const isUp = (pod: Pod): boolean => !isGoing(pod) && isAvailable(pod, set.spec?.minReadySeconds ?? 0, now);
  const missing = wanted - pods.filter(isUp).length;
  const old = pods.filter((pod) => isOld(pod, hash) && !isGoing(pod));
  const broken = old.filter((pod) => !isUp(pod));
  return [...broken, ...old.filter(isUp).slice(0, Math.max(0, most - missing))];
}

/** The status of a DaemonSet. */
export function daemonStatus(
  set: DaemonSet,
  nodes: readonly Node[],
  pods: readonly Pod[],
  hash: string,
  now: number,
): DaemonSetStatus {
  const placed = byNode(pods.filter((pod) => !isFinished(pod)));
  const suited = nodes.filter((node) => placeOn(set, node).shouldRun);
  const onNode = (node: Node): readonly Pod[] => (placed.get(node.metadata?.name ?? "") ?? []).slice(0, 1);
  const current = suited.flatMap(onNode);
  const available = current.filter((pod) => isAvailable(pod, set.spec?.minReadySeconds ?? 0, now)).length;
  const { collisionCount, conditions } = set.status ?? {};
  return {
    observedGeneration: set.metadata?.generation,
    desiredNumberScheduled: suited.length,
    currentNumberScheduled: current.length,
    numberMisscheduled: nodes.flatMap(onNode).length - current.length,
    numberReady: current.filter(isReady).length,
    ...positive({
      numberAvailable: available,
      numberUnavailable: suited.length - available,
      updatedNumberScheduled: current.filter((pod) => !isOld(pod, hash)).length,
    }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    ...(conditions ? { conditions } : {}),
  };
}

/** Counts of zero are left out, as the server would. */
function positive(counts: Readonly<Record<string, number>>): Partial<DaemonSetStatus> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
}
