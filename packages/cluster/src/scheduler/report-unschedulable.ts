// Reports why a pod has no node, in its PodScheduled condition and in an event.
import { findCondition, formatTime, Pod } from "@kubewright/api";
import type { ControllerEnvironment } from "../controllers/controller.js";

export interface UnschedulableReport {
  readonly message: string;
  /** The node that is being cleared for the pod; empty when there is none any more; absent to leave it as it is. */
  readonly nominatedNodeName?: string | undefined;
}

export async function reportUnschedulable(
  { clock, client, events }: ControllerEnvironment,
  pod: Pod,
  { message, nominatedNodeName }: UnschedulableReport,
): Promise<void> {
  const known = findCondition(pod.status?.conditions, "PodScheduled");
  const isSame = known?.status === "False" && known.message === message;
  const before = pod.status?.nominatedNodeName ?? "";
  const isNominated = nominatedNodeName !== undefined && nominatedNodeName !== before;
  if (isSame && !isNominated) return;
  if (!isSame) events("default-scheduler").warning(Pod, pod, "FailedScheduling", message);
  const { name = "", namespace, uid, generation } = pod.metadata ?? {};
  const condition = {
    type: "PodScheduled",
    status: "False",
    reason: "Unschedulable",
    message,
    observedGeneration: generation,
    lastTransitionTime: known?.status === "False" ? known.lastTransitionTime : formatTime(clock.now()),
  };
  const status = {
    conditions: [condition],
    ...(isNominated ? { nominatedNodeName: nominatedNodeName || null } : {}),
  };
  await client.patch(
    Pod,
    name,
    { strategic: { metadata: { uid }, status } },
    { namespace, subresource: "status", fieldManager: "kube-scheduler" },
  );
}
