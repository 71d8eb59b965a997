// The EndpointSlices a Service should have.
import { type Endpoint, type EndpointSlice, Pod, type Service } from "@kubewright/api";
import { type EndpointPort, portsOn } from "../../services/service-pods.js";
import { isReady } from "../../workload/pod-facts.js";

/** Endpoints in one slice. */
const perSlice = 100;
export const managedBy = "endpointslice-controller.k8s.io";
export const serviceLabel = "kubernetes.io/service-name";

/** The zone of a node, if it says. */
export type ZoneOf = (node: string) => string | undefined;

/** What varies from slice to slice. */
export type SliceContent = Pick<EndpointSlice, "endpoints" | "ports">;

/** The contents of all slices: pods with the same ports share them, a hundred at a time; one empty slice when there are none. */
export function sliceContents(
  service: Service,
  pods: readonly Pod[],
  zoneOf: ZoneOf = () => undefined,
): readonly SliceContent[] {
  const groups = new Map<
    string,
    { readonly ports: readonly EndpointPort[]; readonly endpoints: Endpoint[] }
  >();
  for (const pod of pods) {
    const ports = portsOn(service, pod);
    const id = JSON.stringify(ports);
    const group = groups.get(id) ?? { ports, endpoints: [] };
    groups.set(id, group);
    group.endpoints.push(endpointOf(service, pod, zoneOf(pod.spec?.nodeName ?? "")));
  }
  const contents: SliceContent[] = [];
  for (const { ports, endpoints } of groups.values())
    for (let at = 0; at < endpoints.length; at += perSlice)
      contents.push({ ports, endpoints: endpoints.slice(at, at + perSlice) });
  return contents.length > 0 ? contents : [{ ports: [], endpoints: [] }];
}

function endpointOf(service: Service, pod: Pod, zone: string | undefined): Endpoint {
  const { name, namespace, uid, deletionTimestamp } = pod.metadata ?? {};
  const serving = isReady(pod);
  const terminating = deletionTimestamp !== undefined;
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const { hostname, subdomain, nodeName } = pod.spec ?? {};
  return {
    addresses: [pod.status?.podIP ?? ""],
    conditions: { ready, serving, terminating },
    ...(hostname && subdomain === service.metadata?.name ? { hostname } : {}),
    ...(nodeName ? { nodeName } : {}),
    targetRef: { kind: Pod.kind, name, namespace, uid },
    ...(zone === undefined ? {} : { zone }),
    ...(ready ? hintsFor(service, nodeName, zone) : {}),
  };
}

/** Who should use an endpoint first, when the Service asks for short ways. */
function hintsFor(
  { spec }: Service,
  node: string | undefined,
  zone: string | undefined,
): Pick<Endpoint, "hints"> {
  const wish = spec?.trafficDistribution;
  const forZones = wish && zone !== undefined ? { forZones: [{ name: zone }] } : {};
  const forNodes = wish === "PreferSameNode" && node ? { forNodes: [{ name: node }] } : {};
  const hints = { ...forZones, ...forNodes };
  return Object.keys(hints).length > 0 ? { hints } : {};
}

/** Labels of the slices of a Service: its own, and who looks after them. */
export function sliceLabels({ metadata, spec }: Service): Readonly<Record<string, string>> {
  return {
    ...metadata?.labels,
    [serviceLabel]: metadata?.name ?? "",
    "endpointslice.kubernetes.io/managed-by": managedBy,
    ...(spec?.clusterIP === "None" ? { "service.kubernetes.io/headless": "" } : {}),
  };
}
