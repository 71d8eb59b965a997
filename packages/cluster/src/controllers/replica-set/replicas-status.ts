// The status of a ReplicaSet or ReplicationController.
import { formatTime, LabelMatcher, type Pod, type ReplicaSetCondition } from "@kubewright/api";
import { isAvailable, isReady } from "../../workload/pod-state.js";

import type { ReplicasOwner } from "./replicas.js";

/** The status both kinds share. */
export interface ReplicasStatus {
  readonly replicas: number;
  readonly fullyLabeledReplicas?: number | undefined;
  readonly readyReplicas?: number | undefined;
  readonly availableReplicas?: number | undefined;
  readonly terminatingReplicas?: number | undefined;
  readonly observedGeneration?: number | undefined;
  readonly conditions?: readonly ReplicaSetCondition[] | undefined;
}

export interface OwnedPods {
  readonly active: readonly Pod[];
  /** How many are terminating; undefined where the kind does not report it. */
  readonly terminating: number | undefined;
}

/** The status, given its pods and what kept it from having the right number of them. */
export function replicasStatus(
  set: ReplicasOwner,
  { active, terminating }: OwnedPods,
  failure: { readonly reason: string; readonly message: string } | undefined,
  now: number,
): ReplicasStatus {
  const template = LabelMatcher.from({ matchLabels: set.spec?.template?.metadata?.labels ?? {} });
  const minReady = set.spec?.minReadySeconds ?? 0;
  return {
    replicas: active.length,
    ...count("fullyLabeledReplicas", active.filter((pod) => template.matches(pod.metadata?.labels)).length),
    ...count("readyReplicas", active.filter(isReady).length),
    ...count("availableReplicas", active.filter((pod) => isAvailable(pod, minReady, now)).length),
    ...(terminating === undefined ? {} : { terminatingReplicas: terminating }),
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
