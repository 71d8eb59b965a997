// The quota usage of objects by resource name. Pure, so that the admission plugin and the quota controller count alike.
import { Amount } from "@kubewright/api";

/** Amounts by the names quotas use: `pods`, `requests.cpu`, `count/deployments.apps`. */
export type Usage = ReadonlyMap<string, Amount>;

/** One object. */
export const one = Amount.of(1);
/** Nothing. */
export const zero = Amount.of(0);

/** The sum of several usages. */
export function sumUsage(usages: Iterable<Usage>): Usage {
  const total = new Map<string, Amount>();
  for (const usage of usages)
    for (const [name, amount] of usage) total.set(name, total.get(name)?.add(amount) ?? amount);
  return total;
}

/** The resource name that counts the objects of a kind. */
export function countName({ plural, group }: { readonly plural: string; readonly group: string }): string {
  return group ? `count/${plural}.${group}` : `count/${plural}`;
}

/** Kinds whose objects quotas may also count without `count/`, and that use nothing else. */
export const plainlyCounted: ReadonlySet<string> = new Set([
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "resourcequotas",
]);

/** Kinds that use more of a quota than their number, by the names they are counted under. */
export const measuredKinds: ReadonlySet<string> = new Set([
  "count/pods",
  "count/services",
  "count/persistentvolumeclaims",
  "count/resourceclaims.resource.k8s.io",
]);
