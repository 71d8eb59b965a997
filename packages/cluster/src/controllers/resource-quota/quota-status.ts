// The status of a quota, given what is in its namespace.
import {
  Amount,
  type PersistentVolumeClaim,
  type Pod,
  type ResourceQuota,
  type ResourceQuotaStatus,
  type Service,
} from "@kubewright/api";
import { coversPod, isScoped } from "./quota-scope.js";
import { claimUsage, podUsage, serviceUsage, sumUsage, type Usage } from "./quota-usage.js";

/** What a namespace holds. */
export interface NamespaceContents {
  readonly pods: readonly Pod[];
  readonly services: readonly Service[];
  readonly claims: readonly PersistentVolumeClaim[];
  /** Objects by the name their kind is counted under. */
  readonly counts: ReadonlyMap<string, number>;
}

/** What is allowed and what is used, for exactly what the quota limits. */
export function quotaStatus(
  { spec = {} }: ResourceQuota,
  contents: NamespaceContents,
  now: number,
): ResourceQuotaStatus {
  const hard = spec.hard ?? {};
  const pods = contents.pods.filter((pod) => coversPod(spec, pod)).map((pod) => podUsage(pod, now));
  const total = sumUsage(isScoped(spec) ? pods : [...pods, ...unscoped(contents)]);
  const used: Record<string, string> = {};
  for (const name of Object.keys(hard)) used[name] = (total.get(name) ?? Amount.of(0)).toString();
  return { hard, used };
}

function* unscoped({ services, claims, counts }: NamespaceContents): Iterable<Usage> {
  for (const service of services) yield serviceUsage(service);
  for (const claim of claims) yield claimUsage(claim);
  yield new Map([...counts].map(([name, count]) => [name, Amount.of(count)]));
}
