// The next step of a StatefulSet: one pod at a time and in order, or all at once where it manages its pods in parallel.
import type { Pod, StatefulSet } from "@kubewright/api";
import { isFinished } from "../../workload/pod-state.js";
import {
  firstOrdinal,
  isHealthy,
  isTerminating,
  isWanted,
  maxUnavailable,
  ordinalOf,
  podRevision,
  replicasOf,
  surplusOf,
} from "./stateful-pods.js";

export type Step =
  | { readonly does: "create"; readonly ordinal: number; readonly isCurrent: boolean }
  | { readonly does: "delete"; readonly pod: Pod };

export interface SetState {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  readonly updateRevision: string;
  readonly now: number;
}

/** The steps that may be taken now. */
export function nextSteps(state: SetState): readonly Step[] {
  const steps = [...fill(state), ...condemn(state)];
  const isOrdered = state.set.spec?.podManagementPolicy !== "Parallel";
  const wait = isOrdered ? isWaiting(state) : false;
  if (steps.length > 0) return isOrdered ? steps.slice(0, 1) : steps;
  return wait ? [] : replace(state);
}

const byOrdinal = ({ set, pods }: SetState): ReadonlyMap<number, Pod> =>
  new Map(pods.map((pod) => [ordinalOf(set, pod) ?? -1, pod]));

/** Pods that are missing, or have ended; in order, the first only once all before it are healthy. */
function* fill(state: SetState): Iterable<Step> {
  const { set, now } = state;
  const isOrdered = set.spec?.podManagementPolicy !== "Parallel";
  const pods = byOrdinal(state);
  const start = firstOrdinal(set);
  for (let ordinal = start; ordinal < start + replicasOf(set); ordinal++) {
    const pod = pods.get(ordinal);
    if (!pod) yield { does: "create", ordinal, isCurrent: isOfCurrent(set, ordinal) };
    else if (isFinished(pod) && !isTerminating(pod)) yield { does: "delete", pod };
    if (isOrdered && !(pod && isHealthy(set, pod, now))) return;
  }
}

/** Whether a new pod with this number belongs to the part that is not updated. */
function isOfCurrent(set: StatefulSet, ordinal: number): boolean {
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
  if (type === "OnDelete") return false;
  const kept = rollingUpdate ? (rollingUpdate.partition ?? 0) : (set.status?.currentReplicas ?? 0);
  return ordinal < firstOrdinal(set) + kept;
}

/**
 * Pods beyond the number wanted, the last first. In order, one that is not healthy waits for those before it that are not,
 * and all wait for the pods that stay.
 */
function* condemn({ set, pods, now }: SetState): Iterable<Step> {
  const isOrdered = set.spec?.podManagementPolicy !== "Parallel";
  const isReadyPod = (pod: Pod): boolean => isHealthy(set, pod, now);
  if (isOrdered && pods.some((pod) => isWanted(set, pod) && !isReadyPod(pod))) return;
  const surplus = surplusOf(set, pods);
  const firstNotReady = surplus.findLast((pod) => !isReadyPod(pod));
  for (const pod of surplus) {
    const mayDelete = !isOrdered || isReadyPod(pod) || pod === firstNotReady;
    if (!isTerminating(pod) && mayDelete) yield { does: "delete", pod };
    else if (isOrdered) return;
  }
}

/** Whether pods are starting or terminating, so that an ordered set has to wait. */
function isWaiting({ set, pods, now }: SetState): boolean {
  return (
    pods.length !== replicasOf(set) || pods.some((pod) => isTerminating(pod) || !isHealthy(set, pod, now))
  );
}

/** Pods of an old template, the last first, as many as may be missing; those that do not work are not missed. */
function replace(state: SetState): readonly Step[] {
  const { set, updateRevision, now } = state;
  if (set.spec?.updateStrategy?.type === "OnDelete") return [];
  const { partition = 0 } = set.spec?.updateStrategy?.rollingUpdate ?? {};
  const start = firstOrdinal(set);
  const pods = byOrdinal(state);
  const isUp = (pod: Pod | undefined): boolean => pod !== undefined && isHealthy(set, pod, now);
  const up = [...pods.values()].filter((pod) => isWanted(set, pod) && isUp(pod)).length;
  let spare = maxUnavailable(set) - (replicasOf(set) - up);
  const steps: Step[] = [];
  for (let ordinal = start + replicasOf(set) - 1; ordinal >= start + partition; ordinal--) {
    const pod = pods.get(ordinal);
    if (!pod || podRevision(pod) === updateRevision || isTerminating(pod)) continue;
    if (isUp(pod) && spare-- <= 0) continue;
    steps.push({ does: "delete", pod });
  }
  return steps;
}
