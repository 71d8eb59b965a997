// The object that stands for the address of a Service.
import type { IPAddress, Service } from "@kubewright/api";

const familyLabel = "ipaddress.kubernetes.io/ip-family";
const managerLabel = "ipaddress.kubernetes.io/managed-by";
const allocator = "ipallocator.k8s.io";

export const familyOf = (address: string): "IPv4" | "IPv6" => (address.includes(":") ? "IPv6" : "IPv4");

/** As the server makes it. */
export function addressOf(address: string, { metadata }: Service): IPAddress {
  return {
    metadata: {
      name: address,
      labels: { [familyLabel]: familyOf(address), [managerLabel]: allocator },
    },
    spec: {
      parentRef: { resource: "services", namespace: metadata?.namespace, name: metadata?.name ?? "" },
    },
  };
}

/** True for those the server made, and for nobody else's. */
export const isAllocated = ({ metadata }: IPAddress): boolean =>
  metadata?.labels?.[managerLabel] === allocator;

/** True when the labels are those the server gives. */
export const isLabelled = (address: IPAddress): boolean =>
  isAllocated(address) && address.metadata?.labels?.[familyLabel] === familyOf(address.metadata?.name ?? "");

/** The key of the Service an address stands for; undefined when it is no Service's. */
export function serviceKey({ spec }: IPAddress): string | undefined {
  const { group = "", resource, namespace, name } = spec?.parentRef ?? {};
  return group === "" && resource === "services" ? `${namespace}/${name}` : undefined;
}

/** The addresses of a Service within the cluster. */
export const clusterAddresses = ({ spec }: Service): readonly string[] =>
  (spec?.clusterIPs ?? []).filter((address) => address !== "" && address !== "None");

/** The object that an address belongs to, as events name it. */
export function referenceText({ spec }: IPAddress): string {
  const { group = "", resource = "", namespace = "", name = "" } = spec?.parentRef ?? {};
  return `&ParentReference{Group:${group},Resource:${resource},Namespace:${namespace},Name:${name},}`;
}
