// The health of a node by its lease and status: the conditions to write once its heartbeats stop.
import { findCondition, formatTime, type Lease, type Node, type NodeCondition } from "@kubewright/api";
import { lastSignOfLife } from "../../nodes/heartbeats.js";

/** The node monitor grace period: how long heartbeats may be missing. */
export const gracePeriod = 50_000;
/** How long a new node may take until its first heartbeat. */
const startupGracePeriod = 60_000;

export type NodeHealth =
  /** Its heartbeats are in time; check again after so many milliseconds, or when something changes. */
  | { readonly is: "alive"; readonly until?: number | undefined }
  | { readonly is: "silent"; readonly conditions: readonly NodeCondition[] };

/** The health of a node now. */
export function nodeHealth(node: Node, lease: Lease | undefined, now: number): NodeHealth {
  const ready = findCondition(node.status?.conditions, "Ready");
  const created = Date.parse(node.metadata?.creationTimestamp ?? "") || 0;
  const reportedAt = Date.parse(ready?.lastHeartbeatTime ?? "") || created;
  const renewed = lease ? lastSignOfLife(lease, Number.POSITIVE_INFINITY) : 0;
  // Leases of simulated nodes are renewed when read, so there is no time at which to check again.
  if (renewed === Number.POSITIVE_INFINITY) return { is: "alive" };
  const last = Math.max(renewed, reportedAt);
  const left = last + (ready ? gracePeriod : startupGracePeriod) - now;
  if (left > 0) return { is: "alive", until: left };
  return { is: "silent", conditions: unknownConditions(node, now) };
}

const reported = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/** The conditions that are no longer known; empty when they are so already. */
function unknownConditions(node: Node, now: number): readonly NodeCondition[] {
  return reported.flatMap((type) => {
    const known = findCondition(node.status?.conditions, type);
    if (known?.status === "Unknown") return [];
    const time = formatTime(now);
    return [
      {
        type,
        status: "Unknown" as const,
        lastHeartbeatTime: known?.lastHeartbeatTime ?? node.metadata?.creationTimestamp ?? time,
        lastTransitionTime: time,
        reason: known ? "NodeStatusUnknown" : "NodeStatusNeverUpdated",
        message: known ? "Kubelet stopped posting node status." : "Kubelet never posted node status.",
      },
    ];
  });
}
