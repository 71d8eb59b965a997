// Leaks of a suite: connections that were not closed, and pods that never ran.
import { type Clock, findCondition, Pod, VirtualClock } from "@kubewright/api";
import type { Cluster, RequestAttributes } from "@kubewright/cluster";

/** Something was left over when a test cluster was closed. */
export class LeakError extends Error {
  override readonly name = "LeakError";
}

/** Watches and requests that clients still have open, by client. */
export function openHandles({ faults }: Cluster): readonly string[] {
  const { requests, watches } = faults.open;
  return [
    ...watches.map((watch) => `watch of ${targetOf(watch)} by ${watch.client} is still open`),
    ...requests.map(
      (request) => `${request.verb} of ${targetOf(request)} by ${request.client} is not answered yet`,
    ),
  ];
}

function targetOf({ resource, namespace, name, path }: RequestAttributes): string {
  if (resource === "") return path;
  const place = [namespace, name].filter((part) => part !== undefined).join("/");
  return place === "" ? resource : `${resource} ${place}`;
}

/** Pods that wait, and why. */
export async function pendingPods({ client }: Cluster): Promise<readonly string[]> {
  const { items } = await client.list(Pod);
  return items
    .filter(({ status, metadata }) => status?.phase === "Pending" && !metadata?.deletionTimestamp)
    .map((pod) => `pod ${pod.metadata?.namespace}/${pod.metadata?.name} is still pending: ${reasonOf(pod)}`);
}

function reasonOf({ spec, status }: Pod): string {
  const scheduled = findCondition(status?.conditions, "PodScheduled");
  if (scheduled?.status === "False") return `${scheduled.reason}: ${scheduled.message}`;
  if (!spec?.nodeName) return "it has no node";
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  for (const { name, state } of containers) {
    const { reason, message } = state?.waiting ?? {};
    if (reason) return `container ${name} waits: ${reason}${message ? ` (${message})` : ""}`;
  }
  return "its node has not started it";
}

/** The timers that are left on a clock at the end. */
export function leftOnClock(clock: Clock): readonly string[] {
  if (!(clock instanceof VirtualClock)) return [];
  const left = clock.inFlight.map((what) => `${what} is still under way`);
  if (clock.pending > 0) left.push(`${clock.pending} timers are still set`);
  return left;
}
