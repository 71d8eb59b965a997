// Services as people ask for them, a headless one being a type like the others.
import { Service, type ServicePort, type ServiceSpec } from "@kubewright/api";
import type { AnyResource } from "../controller/kinds.js";
import type { ChildInput, ReconcileContext } from "../controller/reconcile-context.js";
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

/** What is needed of a reconcile's context to keep a Service. */
type ServiceKeeper = Pick<
  ReconcileContext<AnyResource, typeof Service, typeof Service>,
  "apply" | "children" | "delete"
>;

/**
 * Declares a Service, replacing it where it cannot become what is wanted: whether it has an address of its own is settled
 * when it is made. One of the same name that is not ours is left alone.
 */
export async function applyService(
  context: ServiceKeeper,
  wanted: ChildInput<typeof Service>,
): Promise<Service> {
  const { name } = wanted.metadata;
  const present = context.children(Service).find(({ metadata }) => metadata?.name === name);
  const isHeadless = (spec: { readonly clusterIP?: string | undefined } | undefined): boolean =>
    spec?.clusterIP === "None";
  if (present && isHeadless(present.spec) !== isHeadless(wanted.spec)) await context.delete(Service, present);
  return context.apply(Service, wanted, { adopt: false });
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
