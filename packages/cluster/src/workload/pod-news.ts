// A filter for pod changes. Pods change often while they start: they are placed, pull images, get addresses. Controllers that
// only count pods reconcile when a pod begins to count for something else.
import { deepEqual, findCondition, type Pod } from "@kubewright/api";
import type { ObjectChange } from "@kubewright/runtime";

type Condition = NonNullable<NonNullable<Pod["status"]>["conditions"]>[number];

/** Whether the change may matter to a controller that counts pods by whose they are and how far they have come. */
export function isPodNews({ previous, current }: Pick<ObjectChange<Pod>, "previous" | "current">): boolean {
  if (!previous || !current) return true;
  return !isSameMember(previous, current) || !isSameStage(previous, current);
}

function isSameMember({ metadata: before }: Pod, { metadata: after }: Pod): boolean {
  return (
    before?.uid === after?.uid &&
    before?.deletionTimestamp === after?.deletionTimestamp &&
    deepEqual(before?.labels, after?.labels) &&
    deepEqual(before?.annotations, after?.annotations) &&
    deepEqual(before?.finalizers, after?.finalizers) &&
    deepEqual(before?.ownerReferences, after?.ownerReferences)
  );
}

function isSameStage({ status: before }: Pod, { status: after }: Pod): boolean {
  return (
    before?.phase === after?.phase &&
    before?.reason === after?.reason &&
    isSameCondition(readiness(before), readiness(after)) &&
    restartsOf(before) === restartsOf(after)
  );
}

const readiness = (status: Pod["status"]): Condition | undefined =>
  findCondition(status?.conditions, "Ready");

const isSameCondition = (before: Condition | undefined, after: Condition | undefined): boolean =>
  before?.status === after?.status && before?.lastTransitionTime === after?.lastTransitionTime;

function restartsOf(status: Pod["status"]): number {
  let restarts = 0;
  for (const { restartCount } of status?.initContainerStatuses ?? []) restarts += restartCount ?? 0;
  for (const { restartCount } of status?.containerStatuses ?? []) restarts += restartCount ?? 0;
  return restarts;
}
