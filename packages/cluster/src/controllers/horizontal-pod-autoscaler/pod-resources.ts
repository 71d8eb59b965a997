// Usage and requests of a resource by pod, in thousandths.
import { Amount, type Pod } from "@kubewright/api";
import type { ProposalInput } from "./metric-proposal.js";

/** By name of the pod; of one container, or of all. */
export function podUsage(
  { metrics, namespace, selector }: ProposalInput,
  resource: string,
  container: string | undefined,
): ReadonlyMap<string, number> {
  const failed = `unable to get metrics for resource ${resource}`;
  if (!metrics)
    throw new Error(
      `${failed}: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)`,
    );
  const usage = new Map<string, number>();
  for (const { name, containers } of metrics.podUsage(namespace, selector)) {
    const counted = container === undefined ? containers : containers.filter((one) => one.name === container);
    if (counted.length === 0)
      throw new Error(
        `${failed}: container ${container} not present in metrics for pod ${namespace}/${name}`,
      );
    usage.set(
      name,
      counted.reduce((sum, one) => sum + thousandths(one, resource), 0),
    );
  }
  if (usage.size === 0) throw new Error(`${failed}: no metrics returned from resource metrics API`);
  return usage;
}

function thousandths(usage: { readonly cpu: number; readonly memory: number }, resource: string): number {
  if (resource === "cpu") return Math.ceil(usage.cpu * 1000);
  return resource === "memory" ? usage.memory * 1000 : 0;
}

/** By name of the pod; throws when a container that counts requests nothing. */
export function podRequests(
  pods: readonly Pod[],
  resource: string,
  container: string | undefined,
): ReadonlyMap<string, number> {
  return new Map(pods.map((pod) => [pod.metadata?.name ?? "", requestOf(pod, resource, container)]));
}

function requestOf({ metadata, spec }: Pod, resource: string, container: string | undefined): number {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  let total = 0;
  for (const { name, resources } of [...(spec?.containers ?? []), ...sidecars]) {
    if (container !== undefined && name !== container) continue;
    const request = resources?.requests?.[resource];
    if (request === undefined)
      throw new Error(`missing request for ${resource} in container ${name} of Pod ${metadata?.name}`);
    total += Number(Amount.parse(request).milliValue());
  }
  return total;
}
