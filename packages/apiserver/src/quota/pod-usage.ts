// The quota usage of a pod.

import { Amount, type Pod, type PodSpec } from "@kubewright/api";
import { aggregateResources, isExtended, isHugePages, isPodLevel } from "@kubewright/kinds";

import { one, type Usage } from "./usage.js";

/** Resources that a quota may name without `requests.`. */
const plainNames = new Set(["cpu", "memory", "ephemeral-storage"]);

/** The prefix of extended resources that request devices of a class without a claim. */
const ofDeviceClass = "deviceclass.resource.kubernetes.io/";

/** The usage of a pod; finished pods only count as objects. */
export function podUsage(pod: Pod, now: number): Usage {
  const usage = new Map([["count/pods", one]]);
  if (isOver(pod, now)) return usage;
  usage.set("pods", one);
  const spec = pod.spec ?? { containers: [] };
  for (const [name, amount] of requested(podRequests(spec))) usage.set(name, amount);
  for (const [name, amount] of podLimits(spec)) if (plainNames.has(name)) usage.set(`limits.${name}`, amount);
  return usage;
}

/** Requests by the names quotas have for them. */
function requested(requests: Usage): (readonly [name: string, amount: Amount])[] {
  return [...requests].flatMap(([name, amount]) => {
    const isPlain = plainNames.has(name) || isHugePages(name);
    const names = isPlain ? [name, `requests.${name}`] : [`requests.${name}`];
    const counts = isPlain || isExtended(name) || name.startsWith(ofDeviceClass);
    return counts ? names.map((each) => [each, amount] as const) : [];
  });
}

/** Finished, or terminating beyond its grace period. */
function isOver({ status, metadata }: Pod, now: number): boolean {
  if (status?.phase === "Succeeded" || status?.phase === "Failed") return true;
  return metadata?.deletionTimestamp !== undefined && Date.parse(metadata.deletionTimestamp) < now;
}

/** The requests of all containers, or of the pod where it sets them, plus the overhead. */
export function podRequests(spec: PodSpec): Usage {
  const total = new Map(aggregateResources(spec, "requests"));
  setPodLevel(total, spec.resources?.requests);
  for (const [name, quantity] of Object.entries(spec.overhead ?? {})) {
    const overhead = Amount.parse(quantity);
    total.set(name, total.get(name)?.add(overhead) ?? overhead);
  }
  return total;
}

/** The overhead counts only for resources that have a limit. */
function podLimits(spec: PodSpec): Usage {
  const total = new Map(aggregateResources(spec, "limits"));
  setPodLevel(total, spec.resources?.limits);
  for (const [name, quantity] of Object.entries(spec.overhead ?? {})) {
    const limit = total.get(name);
    if (limit && limit.sign() !== 0) total.set(name, limit.add(Amount.parse(quantity)));
  }
  return total;
}

function setPodLevel(total: Map<string, Amount>, own: NonNullable<PodSpec["resources"]>["requests"]): void {
  for (const [name, quantity] of Object.entries(own ?? {}))
    if (isPodLevel(name)) total.set(name, Amount.parse(quantity));
}

/** With pod-level resources, containers need not set theirs. */
const setsPodLevel = (own: PodSpec["resources"]): boolean =>
  [own?.requests, own?.limits].some((list) => Object.keys(list ?? {}).some(isPodLevel));

/** Resources that every container must set once a quota limits them. */
const demanded = new Set(["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"]);

/** The message about limited resources that containers do not set; undefined when none is missing. */
export function missingResources(names: readonly string[], { spec }: Pod): string | undefined {
  if (setsPodLevel(spec?.resources)) return undefined;
  const wanted = names.filter((name) => demanded.has(name)).sort();
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const parts = wanted.flatMap((name) => {
    const silent = containers.filter(({ resources }) => {
      const list = name.startsWith("limits.") ? resources?.limits : resources?.requests;
      return list?.[name.slice(name.indexOf(".") + 1)] === undefined;
    });
    const list = [...new Set(silent.map((container) => container.name))].sort();
    return list.length > 0 ? [`${name} for: ${list.join(",")}`] : [];
  });
  return parts.length > 0 ? `must specify ${parts.join("; ")}` : undefined;
}

/** Whether a quota's resource name applies to pods. */
export function isPodResource(name: string): boolean {
  if (name === "pods" || name === "count/pods") return true;
  if (name.startsWith("limits.")) return plainNames.has(name.slice("limits.".length));
  const bare = name.startsWith("requests.") ? name.slice("requests.".length) : name;
  if (plainNames.has(bare) || isHugePages(bare)) return true;
  if (name === bare) return false;
  return bare.startsWith(ofDeviceClass) || (bare.includes("/") && !name.includes("kubernetes.io/"));
}
