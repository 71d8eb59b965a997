// Why a pod should be deleted that no kubelet or controller will ever clean up.
import { findCondition, type Node, type Pod } from "@kubewright/api";

const outOfService = "node.kubernetes.io/out-of-service";

export type Collection =
  /** Its node is gone. */
  | "orphaned"
  /** It was deleted before it had a node. */
  | "unscheduled"
  /** It was deleted on a node with the out-of-service taint. */
  | "out-of-service";

/** Why to collect a pod; `node` is undefined when it is gone. */
export function collectionOf(pod: Pod, node: Node | undefined): Collection | undefined {
  const isTerminating = pod.metadata?.deletionTimestamp !== undefined;
  if (!pod.spec?.nodeName) return isTerminating ? "unscheduled" : undefined;
  if (!node) return "orphaned";
  if (!isTerminating || findCondition(node.status?.conditions, "Ready")?.status === "True") return undefined;
  return node.spec?.taints?.some(({ key }) => key === outOfService) ? "out-of-service" : undefined;
}

/** Finished pods beyond the limit, evicted ones and the oldest first. */
export function surplus(pods: Iterable<Pod>, limit: number): readonly Pod[] {
  const finished = [...pods].filter(
    ({ status, metadata }) =>
      (status?.phase === "Succeeded" || status?.phase === "Failed") && !metadata?.deletionTimestamp,
  );
  if (finished.length <= limit) return [];
  return finished.toSorted(byEvictedThenAge).slice(0, finished.length - limit);
}

function byEvictedThenAge(a: Pod, b: Pod): number {
  const isEvicted = ({ status }: Pod) => (status?.reason === "Evicted" ? 0 : 1);
  const born = ({ metadata }: Pod) => metadata?.creationTimestamp ?? "";
  return isEvicted(a) - isEvicted(b) || (born(a) < born(b) ? -1 : 1);
}
