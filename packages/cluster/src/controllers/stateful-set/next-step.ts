// What a StatefulSet does next: one pod at a time and in order, or all at once where it manages its pods in parallel.
import type { Pod, StatefulSet } from "@kubewright/api";
import { isFinished } from "../../workload/pod-facts.js";
import {
  firstOrdinal,
  isHealthy,
  isTerminating,
  ordinalOf,
  podRevision,
  replicasOf,
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
function isOfCurrent({ spec, status, ...set }: StatefulSet, ordinal: number): boolean {
  if (spec?.updateStrategy?.type === "OnDelete") return false;
  const start = firstOrdinal({ spec, ...set });
  const { partition } = spec?.updateStrategy?.rollingUpdate ?? {};
  return ordinal < start + (partition || (status?.currentReplicas ?? 0));
}

/** Pods beyond the number wanted, the last first; in order, only while all others are healthy. */
function* condemn({ set, pods, now }: SetState): Iterable<Step> {
  const start = firstOrdinal(set);
  const isWanted = (pod: Pod): boolean => {
    const ordinal = ordinalOf(set, pod) ?? -1;
    return ordinal >= start && ordinal < start + replicasOf(set);
  };
  const surplus = pods
    .filter((pod) => !isWanted(pod))
    .toSorted((a, b) => (ordinalOf(set, b) ?? 0) - (ordinalOf(set, a) ?? 0));
  const isOrdered = set.spec?.podManagementPolicy !== "Parallel";
  if (isOrdered && pods.some((pod) => isWanted(pod) && !isHealthy(set, pod, now))) return;
  for (const pod of surplus) {
    if (!isTerminating(pod)) yield { does: "delete", pod };
    else if (isOrdered) return;
  }
}

/** Something is on its way, and order demands to wait for it. */
function isWaiting({ set, pods, now }: SetState): boolean {
  return (
    pods.length !== replicasOf(set) || pods.some((pod) => isTerminating(pod) || !isHealthy(set, pod, now))
  );
}

/** Pods of an old template, the last first, one at a time. */
function replace(state: SetState): readonly Step[] {
  const { set, updateRevision, now } = state;
  if (set.spec?.updateStrategy?.type === "OnDelete") return [];
  const start = firstOrdinal(set);
  const least = start + (set.spec?.updateStrategy?.rollingUpdate?.partition ?? 0);
  const pods = byOrdinal(state);
  for (let ordinal = start + replicasOf(set) - 1; ordinal >= least; ordinal--) {
    const pod = pods.get(ordinal);
    if (!pod) return [];
    if (podRevision(pod) !== updateRevision && !isTerminating(pod)) return [{ does: "delete", pod }];
    if (!isHealthy(set, pod, now)) return [];
  }
  return [];
}
