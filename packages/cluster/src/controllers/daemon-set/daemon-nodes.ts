// The pods of a DaemonSet, node by node.
import type { DaemonSet, Node, Pod } from "@kubewright/api";
import { isAvailable, isFinished } from "../../workload/pod-state.js";
import { nodeOf, placeOn } from "./daemon-pods.js";

/** A node, or a name where one was, and what the DaemonSet has there. */
export interface DaemonNode {
  readonly name: string;
  readonly shouldRun: boolean;
  readonly mayStay: boolean;
  /** All pods of the node, without those that have ended and are terminating. */
  readonly pods: readonly Pod[];
  /** Neither ended nor terminating. */
  readonly running: readonly Pod[];
  /** Ended, and not terminating. */
  readonly ended: readonly Pod[];
}

const isTerminating = ({ metadata }: Pod): boolean => metadata?.deletionTimestamp !== undefined;

/** Every node, and every place where a pod is left of one that is gone. */
export function daemonNodes({
  set,
  nodes,
  pods,
}: {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
}): readonly DaemonNode[] {
  const placed = byNode(pods.filter((pod) => !(isTerminating(pod) && isFinished(pod))));
  const known = nodes.map((node) => {
    const name = node.metadata?.name ?? "";
    const there = placed.get(name) ?? [];
    placed.delete(name);
    return daemonNode(name, placeOn(set, node), there);
  });
  const nowhere = { shouldRun: false, mayStay: false };
  return [...known, ...[...placed].map(([name, there]) => daemonNode(name, nowhere, there))];
}

function daemonNode(
  name: string,
  place: { readonly shouldRun: boolean; readonly mayStay: boolean },
  pods: readonly Pod[],
): DaemonNode {
  const present = pods.filter((pod) => !isTerminating(pod));
  return {
    name,
    ...place,
    pods,
    running: present.filter((pod) => !isFinished(pod)),
    ended: present.filter(isFinished),
  };
}

function byNode(pods: readonly Pod[]): Map<string, Pod[]> {
  const found = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = nodeOf(pod) ?? "";
    const list = found.get(node);
    if (list) list.push(pod);
    else found.set(node, [pod]);
  }
  return found;
}

/** Whether a pod has been ready for as long as the set asks. */
export function isDaemonAvailable(
  { set, now }: { readonly set: DaemonSet; readonly now: number },
  pod: Pod,
): boolean {
  return isAvailable(pod, set.spec?.minReadySeconds ?? 0, now);
}

/** Pods that have a node go before those that have none, then by age. */
export function oldestFirst(a: Pod, b: Pod): number {
  const order = (pod: Pod): string =>
    `${pod.spec?.nodeName ? 0 : 1} ${pod.metadata?.creationTimestamp} ${pod.metadata?.name}`;
  return order(a) < order(b) ? -1 : 1;
}
