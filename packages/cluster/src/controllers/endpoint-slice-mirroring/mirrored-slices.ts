// The EndpointSlices that say what Endpoints made by hand say.
import { isIPv6 } from "node:net";
import type {
  Endpoint,
  EndpointAddress,
  EndpointSlice,
  EndpointSubset,
  Endpoints,
  Service,
} from "@kubewright/api";

export const mirroredBy = "endpointslicemirroring-controller.k8s.io";
export const serviceLabel = "kubernetes.io/service-name";
export const managedByLabel = "endpointslice.kubernetes.io/managed-by";
const skipMirror = "endpointslice.kubernetes.io/skip-mirror";
const leader = "control-plane.alpha.kubernetes.io/leader";
const headless = "service.kubernetes.io/headless";
/** Addresses of a subset beyond this many are left out. */
const perSubset = 1000;
const leftOut = [
  "kubectl.kubernetes.io/last-applied-configuration",
  "endpoints.kubernetes.io/last-change-trigger-time",
];

/** The part that varies from slice to slice. */
export interface MirroredSlice {
  readonly addressType: "IPv4" | "IPv6";
  readonly endpoints: readonly Endpoint[];
  readonly ports: NonNullable<EndpointSlice["ports"]>;
}

/** Whether Endpoints are somebody's own and should be mirrored. */
export function isMirrored({ metadata }: Endpoints, service: Service | undefined): boolean {
  if (!service || Object.keys(service.spec?.selector ?? {}).length > 0) return false;
  if (metadata?.labels?.["endpoints.kubernetes.io/managed-by"] === "endpoint-controller") return false;
  return metadata?.labels?.[skipMirror] !== "true" && metadata?.annotations?.[leader] === undefined;
}

/** The slices of Endpoints: one for each subset and kind of address. */
export function mirroredSlices({ subsets = [] }: Endpoints): readonly MirroredSlice[] {
  return subsets.flatMap((subset) => {
    const all = [
      ...(subset.addresses ?? []).map((address) => endpointOf(address, true)),
      ...(subset.notReadyAddresses ?? []).map((address) => endpointOf(address, false)),
    ].slice(0, perSubset);
    const isSix = ({ addresses }: Endpoint) => isIPv6(addresses[0] ?? "");
    return [
      sliceOf(
        "IPv4",
        all.filter((one) => !isSix(one)),
        subset,
      ),
      sliceOf("IPv6", all.filter(isSix), subset),
    ].filter(({ endpoints }) => endpoints.length > 0);
  });
}

function sliceOf(
  addressType: "IPv4" | "IPv6",
  endpoints: readonly Endpoint[],
  { ports = [] }: EndpointSubset,
): MirroredSlice {
  const shown = ports.map(({ name = "", port, protocol = "TCP", appProtocol }) => ({
    name,
    port,
    protocol,
    ...(appProtocol === undefined ? {} : { appProtocol }),
  }));
  return { addressType, endpoints, ports: shown };
}

function endpointOf({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname ? { hostname } : {}),
    ...(nodeName ? { nodeName } : {}),
    ...(targetRef ? { targetRef } : {}),
  };
}

/** Labels and annotations of mirrored slices: those of the Endpoints, and who looks after them. */
export function mirroredMetadata({ metadata }: Endpoints): NonNullable<EndpointSlice["metadata"]> {
  const { [headless]: _, ...labels } = metadata?.labels ?? {};
  const annotations = Object.entries(metadata?.annotations ?? {}).filter(([name]) => !leftOut.includes(name));
  return {
    labels: { ...labels, [serviceLabel]: metadata?.name ?? "", [managedByLabel]: mirroredBy },
    ...(annotations.length > 0 ? { annotations: Object.fromEntries(annotations) } : {}),
  };
}
