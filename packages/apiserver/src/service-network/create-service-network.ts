// The range of cluster addresses, and the service by which programs in the cluster find the API server.

import { formatTime, type Service, type ServiceCIDR } from "@kubewright/api";
import {
  boundsOf,
  type Family,
  formatAddress,
  hasClusterIp,
  isHeadless,
  parseRange,
  storedAs,
} from "@kubewright/kinds";
import { createMissing } from "../bootstrap/create-missing.js";

import type { Services } from "../registry/request-context.js";
import type { Unstamped } from "../storage/index.js";
import type { AddressAllocator } from "./address-allocator.js";
import { addressTable } from "./address-allocator.js";

const port = { name: "https", protocol: "TCP", port: 443 };
const place = { name: "kubernetes", namespace: "default" };

/** Creates the range and the service, and sees to it that every stored service still has its addresses. */
type Needs = Pick<Services, "storage" | "clock" | "newUid"> & {
  readonly serviceAllocators: { readonly addresses: AddressAllocator };
};

export function createServiceNetwork(services: Needs): void {
  const { initialRanges, families } = services.serviceAllocators.addresses;
  createRange(services, initialRanges);
  createMissing(
    services,
    "services",
    apiService(firstAddress(initialRanges[0] ?? ""), families[0] ?? "IPv4"),
  );
  for (const service of services.storage.list("services", { prefix: "" }))
    repair(services, storedAs<Service>(service));
}

/** A server that has addresses of another family since its last start adds their range to its own. */
function createRange(
  services: Pick<Services, "storage" | "clock" | "newUid">,
  ranges: readonly string[],
): void {
  const { storage, clock } = services;
  const table = "networking.k8s.io/servicecidrs";
  const found = storage.get(table, "kubernetes");
  if (!found) {
    createMissing(services, table, serviceRange(ranges, formatTime(clock.now())));
    return;
  }
  const { cidrs = [] } = storedAs<ServiceCIDR>(found).spec ?? {};
  if (cidrs.length === 1 && ranges.length === 2 && cidrs[0] === ranges[0])
    storage.put(table, "kubernetes", { ...found, spec: { cidrs: [...ranges] } }, "any");
}

function firstAddress(range: string): string {
  const parsed = parseRange(range);
  if (!parsed) throw new RangeError(`"${range}" is no range of addresses`);
  return formatAddress({ family: parsed.address.family, value: boundsOf(parsed).first + 1n });
}

/** Says where the API server is reached: at first nowhere in particular. */
export function advertise(
  services: Pick<Services, "storage" | "clock" | "newUid">,
  at: { readonly address: string; readonly port: number },
): void {
  const ports = [{ name: port.name, port: at.port, protocol: port.protocol }];
  replace(services, "endpoints", {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { ...place, labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
    subsets: [{ addresses: [{ ip: at.address }], ports }],
  });
  replace(services, "discovery.k8s.io/endpointslices", {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { ...place, generation: 1, labels: { "kubernetes.io/service-name": place.name } },
    addressType: at.address.includes(":") ? "IPv6" : "IPv4",
    endpoints: [{ addresses: [at.address], conditions: { ready: true } }],
    ports,
  });
}

function replace(
  services: Pick<Services, "storage" | "clock" | "newUid">,
  table: string,
  object: Unstamped,
): void {
  const key = `${place.namespace}/${place.name}`;
  const found = services.storage.get(table, key);
  if (!found) createMissing(services, table, object);
  else services.storage.put(table, key, { ...object, metadata: found.metadata }, "any");
}

function repair({ storage, serviceAllocators }: Needs, { metadata, spec = {} }: Service): void {
  if (!hasClusterIp(spec) || isHeadless(spec)) return;
  const owner = { namespace: metadata?.namespace ?? "", name: metadata?.name ?? "" };
  for (const ip of spec.clusterIPs ?? [])
    if (!storage.get(addressTable, ip)) serviceAllocators.addresses.keep(ip, owner);
}

const serviceRange = (ranges: readonly string[], now: string): Unstamped => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "ServiceCIDR",
  metadata: { name: "kubernetes" },
  spec: { cidrs: [...ranges] },
  status: {
    conditions: [
      {
        type: "Ready",
        status: "True",
        lastTransitionTime: now,
        reason: "",
        message: "Kubernetes default Service CIDR is ready",
      },
    ],
  },
});

const apiService = (address: string, family: Family): Unstamped => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { ...place, labels: { component: "apiserver", provider: "kubernetes" } },
  spec: {
    ports: [{ ...port, targetPort: 6443 }],
    clusterIP: address,
    clusterIPs: [address],
    type: "ClusterIP",
    sessionAffinity: "None",
    ipFamilies: [family],
    ipFamilyPolicy: "SingleStack",
    internalTrafficPolicy: "Cluster",
  },
  status: { loadBalancer: {} },
});
