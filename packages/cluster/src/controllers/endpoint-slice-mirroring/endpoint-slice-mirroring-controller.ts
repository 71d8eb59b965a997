// Mirrors Endpoints that users created as EndpointSlices.
import {
  controllerReference,
  deepEqual,
  EndpointSlice,
  Endpoints,
  isNotFound,
  Service,
} from "@kubewright/api";
import { keyOf, type ObjectChange } from "@kubewright/runtime";
import { isNamespaceTerminating } from "../../workload/create-pods.js";
import type { BuiltInController } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";
import {
  isMirrored,
  type MirroredSlice,
  managedByLabel,
  mirroredBy,
  mirroredMetadata,
  mirroredSlices,
  serviceLabel,
} from "./mirrored-slices.js";

export const endpointSliceMirroringController: BuiltInController = {
  name: "endpointslicemirroring",
  start(environment) {
    const { client } = environment;
    const loop = new SyncLoop(environment, { name: "endpointslicemirroring", sync });
    const services = loop.watch(Service, ({ key }) => [key]);
    const endpoints = loop.watch(Endpoints, ({ key }) => [key]);
    const slices = loop.watch(EndpointSlice, mirroredFor);
    slices.indexLabel(serviceLabel);
    return loop.start();

    async function sync(key: string): Promise<undefined> {
      const source = endpoints.get(key);
      const [namespace = "", name = ""] = key.split("/");
      const existing = slices
        .list({ namespace, labelSelector: { matchLabels: { [serviceLabel]: name } } })
        .filter(({ metadata }) => metadata?.labels?.[managedByLabel] === mirroredBy);
      const wanted = source && isMirrored(source, services.get(key)) ? mirroredSlices(source) : [];
      const left = [...existing];
      for (const slice of wanted) {
        const at = left.findIndex(({ addressType }) => addressType === slice.addressType);
        const [known] = at < 0 ? [] : left.splice(at, 1);
        if (source) await write(source, known, slice);
      }
      for (const surplus of left) await remove(surplus);
    }

    async function write(
      source: Endpoints,
      known: EndpointSlice | undefined,
      slice: MirroredSlice,
    ): Promise<void> {
      const shared = mirroredMetadata(source);
      if (known) {
        const { labels, annotations } = known.metadata ?? {};
        const isSame =
          deepEqual({ ...(annotations ? { annotations } : {}), labels }, shared) &&
          deepEqual([known.endpoints ?? [], known.ports ?? []], [slice.endpoints, slice.ports]);
        if (!isSame)
          await client.update(EndpointSlice, {
            ...known,
            ...slice,
            metadata: { ...known.metadata, ...shared },
          });
        return;
      }
      const { name, namespace } = source.metadata ?? {};
      const ownerReferences = [controllerReference(source, { kind: Endpoints })];
      const metadata = { ...shared, generateName: `${name}-`, namespace, ownerReferences };
      await client.create(EndpointSlice, { ...slice, metadata }).catch((error: unknown) => {
        if (!isNamespaceTerminating(error)) throw error;
      });
    }

    async function remove({ metadata }: EndpointSlice): Promise<void> {
      await client
        .delete(EndpointSlice, metadata?.name ?? "", { namespace: metadata?.namespace })
        .catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
    }
  },
};

/** The Endpoints a slice of ours mirrors. */
function* mirroredFor({ previous, current }: ObjectChange<EndpointSlice>): Iterable<string> {
  const { labels, namespace } = (current ?? previous)?.metadata ?? {};
  const name = labels?.[serviceLabel];
  if (name && labels[managedByLabel] === mirroredBy) yield keyOf(name, namespace);
}
