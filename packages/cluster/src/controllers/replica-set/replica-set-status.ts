// What a ReplicaSet says of its pods.
import {
  formatTime,
  LabelMatcher,
  type Pod,
  type ReplicaSet,
  type ReplicaSetCondition,
  type ReplicaSetStatus,
} from "@kubewright/api";
import { isAvailable, isReady } from "../../workload/pod-facts.js";

export interface ReplicaSetPods {
  readonly active: readonly Pod[];
  readonly terminating: number;
}

/** The status, given its pods and what kept it from having the right number of them. */
export function replicaSetStatus(
  set: ReplicaSet,
  { active, terminating }: ReplicaSetPods,
  failure: { readonly reason: string; readonly message: string } | undefined,
  now: number,
): ReplicaSetStatus {
  const template = LabelMatcher.from({ matchLabels: set.spec?.template?.metadata?.labels ?? {} });
  const minReady = set.spec?.minReadySeconds ?? 0;
  return {
    replicas: active.length,
    ...count("fullyLabeledReplicas", active.filter((pod) => template.matches(pod.metadata?.labels)).length),
    ...count("readyReplicas", active.filter(isReady).length),
    ...count("availableReplicas", active.filter((pod) => isAvailable(pod, minReady, now)).length),
    terminatingReplicas: terminating,
    observedGeneration: set.metadata?.generation,
    ...conditions(set.status?.conditions, failure, now),
  };
}

/** Counts of zero are left out, as the server would. */
function count<Name extends string>(name: Name, value: number): { readonly [key in Name]?: number } {
  return value === 0 ? {} : ({ [name]: value } as { [key in Name]: number });
}

function conditions(
  before: readonly ReplicaSetCondition[] | undefined,
  failure: { readonly reason: string; readonly message: string } | undefined,
  now: number,
): { readonly conditions?: readonly ReplicaSetCondition[] } {
  const others = (before ?? []).filter(({ type }) => type !== "ReplicaFailure");
  const known = before?.find(({ type }) => type === "ReplicaFailure");
  if (!failure) return others.length > 0 ? { conditions: others } : {};
  if (known?.reason === failure.reason) return { conditions: before ?? [] };
  const condition = {
    type: "ReplicaFailure",
    status: "True",
    lastTransitionTime: formatTime(now),
    ...failure,
  };
  return { conditions: [...others, condition] };
}
