// Warnings about Services that are valid but deprecated or unwise.
import type { Service, ServiceSpec } from "@kubewright/api";
import { cidrWarnings, ipWarnings } from "../../ip-warnings.js";

const hints = "service.kubernetes.io/topology-aware-hints";
const mode = "service.kubernetes.io/topology-mode";

export function serviceWarnings(service: Service): string[] {
  const { spec = {} } = service;
  const { clusterIPs = [], externalIPs = [], loadBalancerIP = "", loadBalancerSourceRanges = [] } = spec;
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
    ...loadBalancerSourceRanges.flatMap((range, index) =>
      cidrWarnings(range, `spec.loadBalancerSourceRanges[${index}]`),
    ),
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
