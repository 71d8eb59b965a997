// The status of a quota, given what is in its namespace.
import {
  Amount,
  type PersistentVolumeClaim,
  type Pod,
  type ResourceClaim,
  type ResourceQuota,
  type ResourceQuotaStatus,
  type Service,
} from "@kubewright/api";
import {
  claimUsage,
  coversClaim,
  coversPod,
  deviceUsage,
  isScoped,
  podUsage,
  serviceUsage,
  sumUsage,
  type Usage,
} from "@kubewright/apiserver";

/** The objects of a namespace. */
export interface NamespaceContents {
  readonly pods: readonly Pod[];
  readonly services: readonly Service[];
  readonly claims: readonly PersistentVolumeClaim[];
  readonly deviceClaims: readonly ResourceClaim[];
  /** Objects of all other kinds, by the name they are counted under. */
  readonly counts: ReadonlyMap<string, number>;
}

/** The hard limits and the usage of exactly the resources that the quota limits. */
export function quotaStatus(
  { spec = {} }: ResourceQuota,
  contents: NamespaceContents,
  now: number,
): ResourceQuotaStatus {
  const hard = spec.hard ?? {};
  const pods = contents.pods.filter((pod) => coversPod(spec, pod)).map((pod) => podUsage(pod, now));
  const claims = contents.claims.filter((claim) => coversClaim(spec, claim)).map(claimUsage);
  const total = sumUsage([...pods, ...claims, ...(isScoped(spec) ? [] : unscoped(contents))]);
  const used: Record<string, string> = {};
  for (const name of Object.keys(hard)) used[name] = (total.get(name) ?? Amount.of(0)).toString();
  return { hard, used };
}

function* unscoped({ services, deviceClaims, counts }: NamespaceContents): Iterable<Usage> {
  for (const service of services) yield serviceUsage(service);
  for (const claim of deviceClaims) yield deviceUsage(claim);
  yield new Map([...counts].map(([name, count]) => [name, Amount.of(count)]));
}
