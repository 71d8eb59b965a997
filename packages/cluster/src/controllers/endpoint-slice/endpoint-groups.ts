// The endpoints a Service should have, by the ports they have.
import { type Endpoint, type EndpointSlice, Pod, type Service } from "@kubewright/api";
import { type EndpointPort, portsOn } from "../../services/service-pods.js";
import { isReady } from "../../workload/pod-state.js";
import { isTopologyAware } from "./topology-hints.js";

export const managedBy = "endpointslice-controller.k8s.io";
export const serviceLabel = "kubernetes.io/service-name";

/** The zone of a node, if it says. */
export type ZoneOf = (node: string) => string | undefined;

export type Family = "IPv4" | "IPv6";

/** Endpoints with the same ports. */
export interface EndpointGroup {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

/** The endpoints of pods with an address of the family; pods with the same ports are together. */
export function endpointGroups(
  service: Service,
  pods: readonly Pod[],
  zoneOf: ZoneOf = () => undefined,
  family: Family = "IPv4",
): readonly EndpointGroup[] {
  const groups = new Map<string, EndpointGroup & { readonly endpoints: Endpoint[] }>();
  for (const pod of pods) {
    const addresses = addressesOf(pod).filter((address) => familyOf(address) === family);
    if (addresses.length === 0) continue;
    const ports = portsOn(service, pod);
    const id = JSON.stringify(ports);
    const group = groups.get(id) ?? { ports, endpoints: [] };
    groups.set(id, group);
    group.endpoints.push(endpointOf(service, pod, addresses, zoneOf(pod.spec?.nodeName ?? "")));
  }
  return [...groups.values()];
}

const familyOf = (address: string): Family => (address.includes(":") ? "IPv6" : "IPv4");

function addressesOf({ status }: Pod): readonly string[] {
  const all = status?.podIPs?.flatMap(({ ip }) => ip || []) ?? [];
  return all.length === 0 && status?.podIP ? [status.podIP] : all;
}

function endpointOf(
  service: Service,
  pod: Pod,
  addresses: readonly string[],
  zone: string | undefined,
): Endpoint {
  const { name, namespace, uid, deletionTimestamp } = pod.metadata ?? {};
  const serving = isReady(pod);
  const terminating = deletionTimestamp !== undefined;
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const { hostname, subdomain, nodeName } = pod.spec ?? {};
  return {
    addresses,
    conditions: { ready, serving, terminating },
    ...(hostname && subdomain === service.metadata?.name ? { hostname } : {}),
    ...(nodeName ? { nodeName } : {}),
    targetRef: { kind: Pod.kind, name, namespace, uid },
    ...(zone === undefined ? {} : { zone }),
    ...(ready && !isTopologyAware(service) ? hintsFor(service, nodeName, zone) : {}),
  };
}

/** The topology hints of an endpoint, when the Service prefers close endpoints. */
function hintsFor(
  { spec }: Service,
  node: string | undefined,
  zone: string | undefined,
): Pick<Endpoint, "hints"> {
  const distribution = spec?.trafficDistribution;
  const forZones = distribution && zone !== undefined ? { forZones: [{ name: zone }] } : {};
  const forNodes = distribution === "PreferSameNode" && node ? { forNodes: [{ name: node }] } : {};
  const hints = { ...forZones, ...forNodes };
  return Object.keys(hints).length > 0 ? { hints } : {};
}

/** The families of addresses a Service has slices of. */
export function familiesOf({ spec }: Service): readonly Family[] {
  const families = (spec?.ipFamilies ?? []).filter((family) => family === "IPv4" || family === "IPv6");
  if (families.length > 0) return families;
  return [spec?.clusterIP?.includes(":") ? "IPv6" : "IPv4"];
}

/** Labels of the slices of a Service: its own, and who looks after them. */
export function sliceLabels({ metadata, spec }: Service): NonNullable<EndpointSlice["metadata"]>["labels"] {
  return {
    ...metadata?.labels,
    [serviceLabel]: metadata?.name ?? "",
    "endpointslice.kubernetes.io/managed-by": managedBy,
    ...(spec?.clusterIP === "None" ? { "service.kubernetes.io/headless": "" } : {}),
  };
}
