// The pods of a Service, and their target ports.
import { LabelMatcher, type Pod, type Service, type ServicePort } from "@kubewright/api";
import { type ObjectChange, objectKey, type StoreReader } from "@kubewright/runtime";
import { isFinished } from "../workload/pod-state.js";

/** Whether its endpoints follow from a selector. */
export function selectsPods({ spec }: Service): boolean {
  return spec?.type !== "ExternalName" && Object.keys(spec?.selector ?? {}).length > 0;
}

/** The pods with an address that a Service selects, by name. */
export function podsBehind(service: Service, pods: StoreReader<Pod>): readonly Pod[] {
  return pods
    .list({
      namespace: service.metadata?.namespace,
      labelSelector: { matchLabels: service.spec?.selector ?? {} },
    })
    .filter((pod) => pod.status?.podIP !== undefined && !isFinished(pod))
    .toSorted((a, b) => ((a.metadata?.name ?? "") < (b.metadata?.name ?? "") ? -1 : 1));
}

/** The keys of the Services that select a pod, before or after a change. */
export function* servicesOf(services: StoreReader<Service>, change: ObjectChange<Pod>): Iterable<string> {
  const { previous, current } = change;
  const { namespace } = (current ?? previous)?.metadata ?? {};
  for (const service of services.list({ namespace })) {
    if (!selectsPods(service)) continue;
    const selector = LabelMatcher.from({ matchLabels: service.spec?.selector ?? {} });
    if ([previous, current].some((pod) => pod && selector.matches(pod.metadata?.labels)))
      yield objectKey(service);
  }
}

/** A port as endpoints show it. */
export interface EndpointPort {
  readonly name: string;
  readonly port: number;
  readonly protocol: NonNullable<ServicePort["protocol"]>;
  readonly appProtocol?: string | undefined;
}

/** The ports of a Service on one of its pods; a named port that the pod does not have is left out. */
export function portsOn(service: Service, pod: Pod): readonly EndpointPort[] {
  return (service.spec?.ports ?? []).flatMap((declared) => {
    const { name = "", protocol = "TCP", appProtocol } = declared;
    const port = targetPort(declared, pod);
    if (port === undefined) return [];
    return [{ name, port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}

function targetPort(
  { targetPort: target, port, protocol = "TCP" }: ServicePort,
  pod: Pod,
): number | undefined {
  if (target === undefined) return port;
  if (typeof target === "number") return target;
  for (const { ports = [] } of pod.spec?.containers ?? [])
    for (const { name, containerPort, protocol: own = "TCP" } of ports)
      if (name === target && own === protocol) return containerPort;
  return undefined;
}
