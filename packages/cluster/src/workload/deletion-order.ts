// The order in which surplus pods are deleted: pods that do least go first.
import { findCondition, type Pod } from "@kubewright/api";
import { isReady } from "./pod-state.js";

const phaseOrder: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

type Compare = (a: Pod, b: Pod) => number;

const by =
  (rank: (pod: Pod) => number): Compare =>
  (a, b) =>
    rank(a) - rank(b);

const cost = ({ metadata }: Pod): number =>
  Number(metadata?.annotations?.["controller.kubernetes.io/pod-deletion-cost"] ?? 0) || 0;
const restarts = ({ status }: Pod): number =>
  Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount));
const readySince = ({ status }: Pod): number =>
  Date.parse(findCondition(status?.conditions, "Ready")?.lastTransitionTime ?? "") || 0;
const createdAt = ({ metadata }: Pod): number => Date.parse(metadata?.creationTimestamp ?? "") || 0;

/** Pods in the order in which they should go. `related` are the pods of the same workload, for spreading over nodes. */
export function inDeletionOrder(pods: readonly Pod[], related: readonly Pod[]): readonly Pod[] {
  const perNode = new Map<string, number>();
  for (const { spec } of related)
    perNode.set(spec?.nodeName ?? "", (perNode.get(spec?.nodeName ?? "") ?? 0) + 1);
  const rules: readonly Compare[] = [
    by(({ spec }) => (spec?.nodeName ? 1 : 0)),
    by(({ status }) => phaseOrder[status?.phase ?? "Pending"] ?? 0),
    by((pod) => (isReady(pod) ? 1 : 0)),
    by(cost),
    by(({ spec }) => -(perNode.get(spec?.nodeName ?? "") ?? 0)),
    by((pod) => -readySince(pod)),
    by((pod) => -restarts(pod)),
    by((pod) => -createdAt(pod)),
  ];
  return pods.toSorted((a, b) => {
    for (const rule of rules) {
      const order = rule(a, b);
      if (order !== 0) return order;
    }
    return 0;
  });
}
