// The check that a ServiceCIDR can be deleted without leaving addresses behind that belong to no range.
import type { ServiceCIDR } from "@kubewright/api";
import { isWithin, prefixOf } from "../../services/address-ranges.js";

/** True when other ranges have all of it, or all addresses of it that are in use. */
export function mayGo(
  { metadata, spec }: ServiceCIDR,
  others: Iterable<ServiceCIDR>,
  addresses: Iterable<string>,
): boolean {
  const ranges = spec?.cidrs ?? [];
  const rest = [...others]
    .filter((other) => other.metadata?.name !== metadata?.name)
    .flatMap((other) => other.spec?.cidrs ?? []);
  if (ranges.every((range) => rest.some((other) => contains(other, range)))) return true;
  for (const address of addresses) if (isWithin(address, ranges) && !isWithin(address, rest)) return false;
  return true;
}

function contains(outer: string, inner: string): boolean {
  return prefixOf(outer) <= prefixOf(inner) && isWithin(inner.split("/")[0] ?? "", [outer]);
}
