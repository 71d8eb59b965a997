// Keeps the EndpointSlices of every Service in step with its pods.
import {
  controllerReference,
  deepEqual,
  EndpointSlice,
  isNotFound,
  Node,
  Pod,
  Service,
} from "@kubewright/api";
import { keyOf, type ObjectChange } from "@kubewright/runtime";
import { podsBehind, selectsPods, servicesOf } from "../../services/service-pods.js";
import { isNamespaceTerminating } from "../../workload/create-pods.js";
import type { BuiltInController } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";
import {
  managedBy,
  type SliceContent,
  serviceLabel,
  sliceContents,
  sliceLabels,
} from "./slices-for-service.js";

export const endpointSliceController: BuiltInController = {
  name: "endpointslice",
  start(environment) {
    const { client } = environment;
    const loop = new SyncLoop(environment, { name: "endpointslice", sync });
    const services = loop.watch(Service, ({ key, current }) => (current ? [key] : []));
    const pods = loop.watch(Pod, (change) => servicesOf(services, change));
    const slices = loop.watch(EndpointSlice, serviceOf);
    slices.indexLabel(serviceLabel);
    const nodes = loop.cache(Node);
    const zoneOf = (name: string) => nodes.get(name)?.metadata?.labels?.["topology.kubernetes.io/zone"];
    return loop.start();

    async function sync(key: string): Promise<undefined> {
      const service = services.get(key);
      if (!service || service.metadata?.deletionTimestamp || !selectsPods(service)) return;
      const { name = "", namespace } = service.metadata ?? {};
      const existing = slices
        .list({ namespace, labelSelector: { matchLabels: { [serviceLabel]: name } } })
        .filter(isOurs);
      const contents = sliceContents(service, podsBehind(service, pods), zoneOf);
      for (const [at, content] of contents.entries()) await write(service, existing[at], content);
      for (const surplus of existing.slice(contents.length)) await remove(surplus);
    }

    async function write(
      service: Service,
      slice: EndpointSlice | undefined,
      content: SliceContent,
    ): Promise<void> {
      const labels = sliceLabels(service);
      if (slice) {
        if (deepEqual(contentOf(slice), content) && deepEqual(slice.metadata?.labels, labels)) return;
        await client.update(EndpointSlice, { ...slice, ...content, metadata: { ...slice.metadata, labels } });
        return;
      }
      const { name, namespace } = service.metadata ?? {};
      const ownerReferences = [controllerReference(service, { kind: Service })];
      const metadata = { generateName: `${name}-`, namespace, labels, ownerReferences };
      try {
        await client.create(EndpointSlice, { metadata, addressType: "IPv4", ...content });
      } catch (error) {
        if (!isNamespaceTerminating(error)) throw error;
      }
    }

    async function remove({ metadata }: EndpointSlice): Promise<void> {
      try {
        await client.delete(EndpointSlice, metadata?.name ?? "", { namespace: metadata?.namespace });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
  },
};

const isOurs = ({ metadata }: EndpointSlice): boolean =>
  metadata?.labels?.["endpointslice.kubernetes.io/managed-by"] === managedBy;

function contentOf({ endpoints, ports }: EndpointSlice): SliceContent {
  return { endpoints: endpoints ?? [], ports: ports ?? [] };
}

/** The Service a slice of ours belongs to. */
function* serviceOf({ previous, current }: ObjectChange<EndpointSlice>): Iterable<string> {
  const slice = current ?? previous;
  const name = slice?.metadata?.labels?.[serviceLabel];
  if (slice && name && isOurs(slice)) yield keyOf(name, slice.metadata?.namespace);
}
