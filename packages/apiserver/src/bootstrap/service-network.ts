// The range of cluster addresses, and the service by which programs in the cluster find the API server.
import { formatTime, type Service } from "@kubewright/api";
import { storedAs } from "../kinds/as-kind.js";
import { addressTable } from "../kinds/core/service/address-allocator.js";
import { hasClusterIp, isHeadless } from "../kinds/core/service/service-traits.js";
import type { Services } from "../request/context.js";
import type { Unstamped } from "../storage/index.js";
import { createMissing } from "./create-missing.js";

const range = "10.96.0.0/16";
const address = "10.96.0.1";
const port = { name: "https", protocol: "TCP", port: 443 };
const place = { name: "kubernetes", namespace: "default" };

/** Creates the range and the service, and sees to it that every stored service still has its addresses. */
export function createServiceNetwork(services: Services): void {
  createMissing(services, "networking.k8s.io/servicecidrs", serviceRange(formatTime(services.clock.now())));
  createMissing(services, "services", apiService);
  for (const service of services.storage.list("services", { prefix: "" }))
    repair(services, storedAs<Service>(service));
}

/** Says where the API server is reached: at first nowhere in particular. */
export function advertise(services: Services, at: { readonly address: string; readonly port: number }): void {
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
    addressType: "IPv4",
    endpoints: [{ addresses: [at.address], conditions: { ready: true } }],
    ports,
  });
}

function replace(services: Services, table: string, object: Unstamped): void {
  const key = `${place.namespace}/${place.name}`;
  const found = services.storage.get(table, key);
  if (!found) createMissing(services, table, object);
  else services.storage.put(table, key, { ...object, metadata: found.metadata }, "any");
}

function repair({ storage, serviceAllocators }: Services, { metadata, spec = {} }: Service): void {
  if (!hasClusterIp(spec) || isHeadless(spec)) return;
  const owner = { namespace: metadata?.namespace ?? "", name: metadata?.name ?? "" };
  for (const ip of spec.clusterIPs ?? [])
    if (!storage.get(addressTable, ip)) serviceAllocators.addresses.keep(ip, owner);
}

const serviceRange = (now: string): Unstamped => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "ServiceCIDR",
  metadata: { name: "kubernetes" },
  spec: { cidrs: [range] },
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

const apiService: Unstamped = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { ...place, labels: { component: "apiserver", provider: "kubernetes" } },
  spec: {
    ports: [{ ...port, targetPort: 6443 }],
    clusterIP: address,
    clusterIPs: [address],
    type: "ClusterIP",
    sessionAffinity: "None",
    ipFamilies: ["IPv4"],
    ipFamilyPolicy: "SingleStack",
    internalTrafficPolicy: "Cluster",
  },
  status: { loadBalancer: {} },
};
