// The state of a pod: active, finished, ready, available.
import { findCondition, isConditionTrue, type Pod } from "@kubewright/api";

/** Neither finished nor terminating. */
export function isActive({ status, metadata }: Pod): boolean {
  return !isFinished({ status }) && !metadata?.deletionTimestamp;
}

/** Its containers have ended for good. */
export function isFinished({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

export function isReady({ status }: Pod): boolean {
  return isConditionTrue(status?.conditions, "Ready");
}

/** How many milliseconds until the pod has been ready for long enough; undefined while it is not ready. */
export function untilAvailable(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  if (!isReady(pod)) return undefined;
  if (minReadySeconds === 0) return 0;
  const since = Date.parse(findCondition(pod.status?.conditions, "Ready")?.lastTransitionTime ?? "");
  return Number.isNaN(since) ? undefined : Math.max(0, since + minReadySeconds * 1000 - now);
}

/** Whether the pod has been ready for long enough. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  return untilAvailable(pod, minReadySeconds, now) === 0;
}
