// The quality of service a pod gets follows from what its containers ask for; eviction under pressure goes by it.
import { Amount, type PodSpec, type Quantity } from "@kubewright/api";

export type QosClass = "Guaranteed" | "Burstable" | "BestEffort";

type ResourceList = Readonly<Record<string, Quantity>> | undefined;
const counted = ["cpu", "memory"] as const;

/** Guaranteed: every container limits both and requests the same. BestEffort: nobody asks for anything. */
export function qosClassOf(spec: PodSpec): QosClass {
  const askers = hasAny(spec.resources)
    ? [spec.resources]
    : [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ resources }) => resources);
  const requests = askers.flatMap((resources) => positive(resources?.requests));
  const limits = askers.flatMap((resources) => positive(resources?.limits));
  if (requests.length === 0 && limits.length === 0) return "BestEffort";
  const allLimited = askers.every((resources) => positive(resources?.limits).length === counted.length);
  const same = counted.every((name) => sameTotal(name, requests, limits));
  return allLimited && same ? "Guaranteed" : "Burstable";
}

const hasAny = (resources: PodSpec["resources"]): boolean =>
  Object.keys(resources?.requests ?? {}).length + Object.keys(resources?.limits ?? {}).length > 0;

type Named = readonly [name: string, amount: Amount];

function positive(list: ResourceList): Named[] {
  return counted.flatMap((name): Named[] => {
    const quantity = list?.[name];
    if (quantity === undefined) return [];
    const amount = Amount.parse(quantity);
    return amount.sign() > 0 ? [[name, amount]] : [];
  });
}

function sameTotal(name: string, requests: readonly Named[], limits: readonly Named[]): boolean {
  const request = total(name, requests);
  const limit = total(name, limits);
  return request !== undefined && limit !== undefined && request.equals(limit);
}

function total(name: string, amounts: readonly Named[]): Amount | undefined {
  const own = amounts.filter(([of]) => of === name).map(([, amount]) => amount);
  return own.length === 0 ? undefined : own.reduce((sum, amount) => sum.add(amount));
}
