// Traits of a Service that follow from its type: cluster IP, node ports, health check port.
import type { Draft, ServiceSpec } from "@kubewright/api";

/** The spec of a service, as stored or as a draft. */
export type AnySpec = ServiceSpec | Draft<ServiceSpec>;

/** The value of `clusterIP` that means "no address". */
export const noAddress = "None";

/** Every type but a mere alias has an address, or says that it has none. */
export const hasClusterIp = ({ type }: AnySpec): boolean => type !== "ExternalName";

export const hasNodePorts = ({ type }: AnySpec): boolean => type === "NodePort" || type === "LoadBalancer";

/** Load balancers that ask nodes which of them have endpoints. */
export const hasHealthCheck = ({ type, externalTrafficPolicy }: AnySpec): boolean =>
  type === "LoadBalancer" && externalTrafficPolicy === "Local";

/** Whether a Service has no cluster IP. */
export const isHeadless = ({ clusterIPs }: AnySpec): boolean =>
  clusterIPs?.length === 1 && clusterIPs[0] === noAddress;

/** Whether anyone outside the cluster can reach it. */
export const isExternallyAccessible = (spec: AnySpec): boolean =>
  hasNodePorts(spec) || (spec.type === "ClusterIP" && (spec.externalIPs ?? []).length > 0);

/** Whether ports that name no node port get one. */
export const allocatesNodePorts = ({ type, allocateLoadBalancerNodePorts }: AnySpec): boolean =>
  type === "NodePort" || (type === "LoadBalancer" && allocateLoadBalancerNodePorts !== false);

/** The node ports that are set. */
export const nodePortsOf = ({ ports = [] }: AnySpec): number[] =>
  ports.flatMap(({ nodePort }) => (nodePort ? [nodePort] : []));
