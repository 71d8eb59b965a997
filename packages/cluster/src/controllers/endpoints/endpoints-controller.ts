// Keeps the Endpoints of every Service, the old form of EndpointSlices, in step with its pods.
import {
  deepEqual,
  type EndpointAddress,
  type EndpointSubset,
  Endpoints,
  type ObjectMeta,
  Pod,
  Service,
} from "@kubewright/api";
import { podsBehind, portsOn, selectsPods, servicesOf } from "../../services/service-pods.js";
import { TriggerTimes, withTrigger } from "../../services/trigger-times.js";
import { isNamespaceTerminating } from "../../workload/create-pods.js";
import { isReady } from "../../workload/pod-state.js";
import type { BuiltInController } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";

export const endpointsController: BuiltInController = {
  name: "endpoints",
  start(environment) {
    const { client } = environment;
    const triggers = new TriggerTimes();
    const loop = new SyncLoop(environment, { name: "endpoints", sync });
    const services = loop.watch(Service, ({ key }) => [key]);
    const pods = loop.watch(Pod, (change) => servicesOf(services, change));
    const endpoints = loop.watch(Endpoints, ({ key }) => [key]);
    return loop.start();

    async function sync(key: string): Promise<undefined> {
      const service = services.get(key);
      const existing = endpoints.get(key);
      if (!service) {
        triggers.forget(key);
        return existing && isOurs(existing) ? remove(existing) : undefined;
      }
      if (service.metadata?.deletionTimestamp || !selectsPods(service)) return;
      const behind = podsBehind(service, pods);
      const subsets = subsetsFor(service, behind);
      const labels = labelsFor(service);
      const annotations = withTrigger(existing?.metadata?.annotations, triggers.next(service, behind));
      if (!existing) return create(service, { labels, annotations }, subsets);
      if (deepEqual(existing.subsets ?? [], subsets) && deepEqual(existing.metadata?.labels, labels)) return;
      const metadata = { ...existing.metadata, labels, annotations };
      await client.update(Endpoints, { ...existing, metadata, subsets });
    }

    async function create(
      { metadata }: Service,
      marks: Pick<ObjectMeta, "labels" | "annotations">,
      subsets: readonly EndpointSubset[],
    ): Promise<undefined> {
      const { name = "", namespace } = metadata ?? {};
      try {
        await client.create(Endpoints, { metadata: { name, namespace, ...marks }, subsets });
      } catch (error) {
        if (!isNamespaceTerminating(error)) throw error;
      }
    }

    async function remove({ metadata }: Endpoints): Promise<undefined> {
      await client.delete(Endpoints, metadata?.name ?? "", { namespace: metadata?.namespace });
    }
  },
};

const ourLabel = "endpoints.kubernetes.io/managed-by";

const isOurs = ({ metadata }: Endpoints): boolean => metadata?.labels?.[ourLabel] === "endpoint-controller";

function labelsFor({ metadata, spec }: Service): Readonly<Record<string, string>> {
  const headless = spec?.clusterIP === "None" ? { "service.kubernetes.io/headless": "" } : {};
  return { ...metadata?.labels, [ourLabel]: "endpoint-controller", ...headless };
}

/** Pods with the same ports together, those that are ready apart from those that are not. */
function subsetsFor(service: Service, pods: readonly Pod[]): readonly EndpointSubset[] {
  const groups = new Map<
    string,
    { addresses: EndpointAddress[]; notReadyAddresses: EndpointAddress[]; ports: EndpointSubset["ports"] }
  >();
  for (const pod of pods) {
    if (pod.metadata?.deletionTimestamp && !service.spec?.publishNotReadyAddresses) continue;
    const ports = portsOn(service, pod).map(({ name, ...rest }) => (name ? { name, ...rest } : rest));
    const id = JSON.stringify(ports);
    const group = groups.get(id) ?? { addresses: [], notReadyAddresses: [], ports };
    groups.set(id, group);
    const isServing = isReady(pod) || service.spec?.publishNotReadyAddresses === true;
    (isServing ? group.addresses : group.notReadyAddresses).push(addressOf(service, pod));
  }
  return [...groups.values()].map(({ addresses, notReadyAddresses, ports }) => ({
    ...(addresses.length > 0 ? { addresses } : {}),
    ...(notReadyAddresses.length > 0 ? { notReadyAddresses } : {}),
    ports,
  }));
}

function addressOf(service: Service, { metadata, spec, status }: Pod): EndpointAddress {
  const { name, namespace, uid } = metadata ?? {};
  const isNamed = spec?.hostname && spec.subdomain === service.metadata?.name;
  return {
    ip: status?.podIP ?? "",
    ...(isNamed ? { hostname: spec?.hostname } : {}),
    ...(spec?.nodeName ? { nodeName: spec.nodeName } : {}),
    targetRef: { kind: Pod.kind, name, namespace, uid },
  };
}
