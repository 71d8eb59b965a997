// Services as people ask for them, a headless one being a type like the others.
import { Service, type ServicePort, type ServiceSpec } from "@kubewright/api";
import type { ChildInput } from "../controller/reconcile-context.js";
import { type Part, type PartContext, part } from "./part.js";
import { servicePorts } from "./ports.js";

/** The exposure of a Service. */
export type ServiceType = "ClusterIP" | "NodePort" | "LoadBalancer" | "Headless";

/** The part of a Service's spec that an operator decides. */
export interface ServiceShape {
  /** Default: NodePort where a port asks for one, else ClusterIP. */
  readonly type?: ServiceType | undefined;
  readonly ports: readonly ServicePort[];
  readonly selector: Readonly<Record<string, string>>;
}

/** The spec to declare. Addresses, and node ports that are not asked for, are left to the server. */
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

/**
 * The Service of a workload; undefined when there should be none. It is replaced where it cannot become what is declared:
 * whether a Service has a cluster IP is settled when it is created.
 */
export function servicePart(
  context: PartContext<typeof Service>,
  wanted: ChildInput<typeof Service> | undefined,
): Part<Service> {
  return part(context, Service, wanted, async (child) => {
    const { name } = child.metadata;
    const present = context.children(Service).find(({ metadata }) => metadata?.name === name);
    if (present && isHeadless(present) !== isHeadless(child)) await context.delete(Service, present);
    return context.apply(Service, child, { adopt: "orphans" });
  });
}

function isHeadless({ spec }: { readonly spec?: Pick<ServiceSpec, "clusterIP"> | undefined }): boolean {
  return spec?.clusterIP === "None";
}

/** The address of a Service: its load balancer's address, else its name inside the cluster. */
export function addressOf({ metadata, spec, status }: Service): string {
  const [ingress] = status?.loadBalancer?.ingress ?? [];
  const outside = spec?.type === "LoadBalancer" ? (ingress?.hostname ?? ingress?.ip) : undefined;
  return outside ?? `${metadata?.name ?? ""}.${metadata?.namespace ?? ""}.svc`;
}

/** The node ports a Service has, in the order of its ports. */
export function nodePortsOf({ spec }: Service): readonly number[] {
  return (spec?.ports ?? []).flatMap(({ nodePort }) => (nodePort ? [nodePort] : []));
}
