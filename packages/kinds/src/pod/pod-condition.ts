// Conditions of a pod, set the way the server sets them.
import { type Draft, formatTime, type PodCondition } from "@kubewright/api";

type Conditions = Draft<PodCondition>[];

/** Adds a condition or changes the one there is; the time of transition moves only when the status does. */
export function setPodCondition(
  conditions: Conditions | undefined,
  condition: Pick<PodCondition, "type" | "status" | "reason" | "message" | "observedGeneration">,
  now: number,
): Conditions {
  const list = conditions ?? [];
  const index = list.findIndex(({ type }) => type === condition.type);
  const old = list[index];
  const lastTransitionTime =
    old?.status === condition.status && old.lastTransitionTime ? old.lastTransitionTime : formatTime(now);
  const next = { lastProbeTime: null, ...condition, lastTransitionTime } as unknown as Draft<PodCondition>;
  return old ? list.with(index, next) : [...list, next];
}
