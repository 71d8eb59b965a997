// Groups the pods of a scale target: ready, unready, missing metrics, ignored.
import { findCondition, type Pod } from "@kubewright/api";

/** For this long after its start, the cpu a pod uses counts only while it is ready. */
const cpuInitialization = 300_000;
/** A pod whose readiness changed later than this after its start has been ready before. */
const initialReadiness = 30_000;

export interface PodGroups {
  readonly ready: number;
  /** Not up yet: taken to use nothing when growing. */
  readonly unready: ReadonlySet<string>;
  /** Up, but nobody knows what they use. */
  readonly missing: ReadonlySet<string>;
  /** On their way out. */
  readonly ignored: ReadonlySet<string>;
}

/** Sorts pods, given the names of pods with metrics. */
export function groupPods(
  pods: readonly Pod[],
  isKnown: (name: string) => boolean,
  isCpu: boolean,
  now: number,
): PodGroups {
  const unready = new Set<string>();
  const missing = new Set<string>();
  const ignored = new Set<string>();
  let ready = 0;
  for (const pod of pods) {
    const name = pod.metadata?.name ?? "";
    if (pod.metadata?.deletionTimestamp || pod.status?.phase === "Failed") ignored.add(name);
    else if (pod.status?.phase === "Pending") unready.add(name);
    else if (!isKnown(name)) missing.add(name);
    else if (isCpu && isStarting(pod, now)) unready.add(name);
    else ready++;
  }
  return { ready, unready, missing, ignored };
}

function isStarting({ status }: Pod, now: number): boolean {
  const condition = findCondition(status?.conditions, "Ready");
  const started = Date.parse(status?.startTime ?? "");
  if (!condition || Number.isNaN(started)) return true;
  if (condition.status !== "False") return false;
  if (started + cpuInitialization > now) return true;
  return started + initialReadiness > Date.parse(condition.lastTransitionTime ?? "");
}
