// Services as people ask for them, a headless one being a type like the others.
import type { Service, ServicePort, ServiceSpec } from "@kubewright/api";
import { servicePorts } from "./ports.js";

/** How a Service is reached. */
export type ServiceType = "ClusterIP" | "NodePort" | "LoadBalancer" | "Headless";

export interface ServiceShape {
  /** NodePort where a port asks for one, ClusterIP otherwise, unless told. */
  readonly type?: ServiceType | undefined;
  readonly ports: readonly ServicePort[];
  readonly selector: Readonly<Record<string, string>>;
}

/** The spec to declare. What the server allocates (addresses, node ports not asked for) is left to it. */
export function serviceSpec({ type, ports, selector }: ServiceShape): ServiceSpec {
  const chosen = type ?? (ports.some(({ nodePort }) => nodePort) ? "NodePort" : "ClusterIP");
  const common = {
    selector,
    ports: servicePorts(ports, { nodePorts: chosen === "NodePort" || chosen === "LoadBalancer" }),
  };
  return chosen === "Headless"
    ? { type: "ClusterIP", clusterIP: "None", ...common }
    : { type: chosen, ...common };
}

/** Where a Service answers: its load balancer's address, else its name inside the cluster. */
export function addressOf({ metadata, spec, status }: Service): string {
  const [ingress] = status?.loadBalancer?.ingress ?? [];
  const outside = spec?.type === "LoadBalancer" ? (ingress?.hostname ?? ingress?.ip) : undefined;
  return outside ?? `${metadata?.name ?? ""}.${metadata?.namespace ?? ""}.svc`;
}

/** The node ports a Service has, in the order of its ports. */
export function nodePortsOf({ spec }: Service): readonly number[] {
  return (spec?.ports ?? []).flatMap(({ nodePort }) => (nodePort ? [nodePort] : []));
}
