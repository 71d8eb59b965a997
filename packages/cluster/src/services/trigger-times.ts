// The time of the change that triggered an update of endpoints, from which consumers measure their delay.
import { findCondition, type Pod, type Service } from "@kubewright/api";
import { objectKey } from "@kubewright/runtime";

/** The annotation that says it. */
const triggerAnnotation = "endpoints.kubernetes.io/last-change-trigger-time";

export class TriggerTimes {
  /** By key of the Service: the times of its pods when they were last looked at, by name. */
  readonly #seen = new Map<string, ReadonlyMap<string, string>>();

  /** The earliest of the times that are new since the last look; undefined when none is. */
  next(service: Service, pods: readonly Pod[]): string | undefined {
    const key = objectKey(service);
    const before = this.#seen.get(key);
    const now = new Map(pods.flatMap((pod) => timeOf(pod)));
    this.#seen.set(key, now);
    if (!before) return service.metadata?.creationTimestamp;
    const fresh = [...now].filter(([name, time]) => time > (before.get(name) ?? "")).map(([, time]) => time);
    return fresh.toSorted()[0];
  }

  forget(key: string): void {
    this.#seen.delete(key);
  }
}

/** Annotations with the time, or without one. */
export function withTrigger(
  annotations: Readonly<Record<string, string>> | undefined,
  time: string | undefined,
): Readonly<Record<string, string>> {
  const { [triggerAnnotation]: _, ...others } = annotations ?? {};
  return time === undefined ? others : { ...others, [triggerAnnotation]: time };
}

function timeOf({ metadata, status }: Pod): readonly (readonly [string, string])[] {
  const time = findCondition(status?.conditions, "Ready")?.lastTransitionTime;
  return time === undefined ? [] : [[metadata?.name ?? "", time]];
}
