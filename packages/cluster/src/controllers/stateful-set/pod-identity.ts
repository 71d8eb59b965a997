// The labels that distinguish the pods of a StatefulSet; Services that select one of them rely on it.
import type { Pod, StatefulSet } from "@kubewright/api";
import { ordinalOf } from "./stateful-pods.js";

/** The identity labels that the pod lacks; undefined when it has them. Its index alone may be missing. */
export function identityRepair(set: StatefulSet, pod: Pod): Readonly<Record<string, string>> | undefined {
  const { name = "", labels } = pod.metadata ?? {};
  const ordinal = ordinalOf(set, pod);
  if (ordinal === undefined || labels?.["statefulset.kubernetes.io/pod-name"] === name) return undefined;
  return {
    "statefulset.kubernetes.io/pod-name": name,
    "apps.kubernetes.io/pod-index": String(ordinal),
  };
}
