// What the server tells those who write services that it takes but does not like.
import type { Service, ServiceSpec } from "@kubewright/api";
import { formatAddress, parseAddress } from "../../network/ip.js";

const hints = "service.kubernetes.io/topology-aware-hints";
const mode = "service.kubernetes.io/topology-mode";

export function serviceWarnings(service: Service): string[] {
  const { spec = {} } = service;
  const { clusterIPs = [], externalIPs = [], loadBalancerIP = "" } = spec;
  const headless = isHeadlessClusterIp(spec);
  return [
    ...(service.metadata?.annotations?.[hints] === undefined
      ? []
      : [`annotation ${hints} is deprecated, please use ${mode} instead`]),
    ...(headless ? [] : clusterIPs.flatMap((ip, index) => ipWarnings(ip, `spec.clusterIPs[${index}]`))),
    ...(headless ? ignoredByHeadless(spec) : []),
    ...externalIPs.flatMap((ip, index) => ipWarnings(ip, `spec.externalIPs[${index}]`)),
    ...(externalIPs.length > 0 && !headless && spec.type !== "ExternalName"
      ? ["spec.externalIPs is deprecated and may no longer be implemented in some clusters"]
      : []),
    ...ipWarnings(loadBalancerIP, "spec.loadBalancerIP"),
    ...ignoredByType(spec),
    ...(spec.trafficDistribution === "PreferClose"
      ? ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"']
      : []),
  ];
}

const isHeadlessClusterIp = ({ type, clusterIP }: ServiceSpec): boolean =>
  type === "ClusterIP" && clusterIP === "None";

function ignoredByHeadless({ loadBalancerIP, externalIPs = [], sessionAffinity }: ServiceSpec): string[] {
  return [
    ...(loadBalancerIP ? ["spec.loadBalancerIP"] : []),
    ...(externalIPs.length > 0 ? ["spec.externalIPs"] : []),
    ...(sessionAffinity === "None" ? [] : ["spec.SessionAffinity"]),
  ].map((field) => `${field} is ignored for headless services`);
}

function ignoredByType({ type, externalIPs = [], externalName }: ServiceSpec): string[] {
  if (type === "ExternalName")
    return externalIPs.length > 0 ? ['spec.externalIPs is ignored when spec.type is "ExternalName"'] : [];
  return externalName ? ['spec.externalName is ignored when spec.type is not "ExternalName"'] : [];
}

/** Addresses that are right but not written as they should be. */
function ipWarnings(text: string, field: string): string[] {
  const address = parseAddress(text);
  if (!address) return [];
  const canonical = formatAddress(address);
  if (address.leadingZeros || address.mapped) {
    return [
      `${field}: non-standard IP address "${text}" will be considered invalid in a future Kubernetes release: use "${canonical}"`,
    ];
  }
  return canonical === text
    ? []
    : [`${field}: IPv6 address "${text}" should be in RFC 5952 canonical format ("${canonical}")`];
}
