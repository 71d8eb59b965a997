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
import { keyOf, type ObjectChange, type StoreReader } from "@kubewright/runtime";
import type { EventRecorder } from "../../events/event-recorder.js";
import { podsBehind, selectsPods, servicesOf } from "../../services/service-pods.js";
import { TriggerTimes, withTrigger } from "../../services/trigger-times.js";
import { isNamespaceTerminating } from "../../workload/create-pods.js";
import { isNodeNews } from "../../workload/node-news.js";
import type { ControllerEnvironment } from "../controller.js";
import { type Syncing, syncController } from "../sync-controller.js";
import type { SyncLoop } from "../sync-loop.js";
import {
  endpointGroups,
  type Family,
  familiesOf,
  managedBy,
  serviceLabel,
  sliceLabels,
} from "./endpoint-groups.js";
import { type PlannedSlice, planSlices } from "./slice-plan.js";
import { isTopologyAware, shareOut, zoneShares } from "./topology-hints.js";

export const endpointSliceController = syncController(
  "endpointslice",
  (loop, environment) => new EndpointSlices(loop, environment),
);

class EndpointSlices implements Syncing {
  readonly #client: ControllerEnvironment["client"];
  readonly #events: EventRecorder;
  readonly #services: StoreReader<Service>;
  readonly #pods: StoreReader<Pod>;
  readonly #slices: StoreReader<EndpointSlice>;
  readonly #nodes: StoreReader<Node>;
  readonly #triggers = new TriggerTimes();
  /** Keys of Services that want their endpoints shared out by zones: whether they are. */
  readonly #shared = new Map<string, boolean>();

  constructor(loop: SyncLoop, environment: ControllerEnvironment) {
    this.#client = environment.client;
    this.#events = environment.events("endpoint-slice-controller");
    const services = loop.watch(Service, ({ key }) => [key]);
    this.#services = services;
    this.#pods = loop.watch(Pod, (change) => servicesOf(services, change));
    this.#slices = loop.watch(EndpointSlice, serviceOf);
    this.#slices.indexLabel(serviceLabel);
    this.#nodes = loop.watch(Node, ({ previous, current }) =>
      this.#shared.size > 0 && isNodeNews(previous, current) ? this.#shared.keys() : [],
    );
  }

  async sync(key: string): Promise<undefined> {
    const service = this.#services.get(key);
    if (!service || service.metadata?.deletionTimestamp || !selectsPods(service)) return this.#forget(key);
    const { name = "", namespace } = service.metadata ?? {};
    const existing = this.#slices
      .list({ namespace, labelSelector: { matchLabels: { [serviceLabel]: name } } })
      .filter(isOurs);
    const pods = podsBehind(service, this.#pods);
    const trigger = this.#triggers.next(service, pods);
    const families = familiesOf(service);
    for (const family of families) {
      const groups = endpointGroups(service, pods, (node) => this.#zoneOf(node), family);
      const plan = planSlices(
        existing.filter(({ addressType }) => addressType === family),
        groups,
      );
      for (const planned of this.#hinted(service, key, family, plan.slices))
        await this.#write(service, family, planned, trigger);
      for (const surplus of plan.surplus) await this.#remove(surplus);
    }
    for (const slice of existing)
      if (!families.some((family) => family === slice.addressType)) await this.#remove(slice);
  }

  #forget(key: string): undefined {
    this.#triggers.forget(key);
    this.#shared.delete(key);
  }

  #zoneOf(node: string): string | undefined {
    return this.#nodes.get(node)?.metadata?.labels?.["topology.kubernetes.io/zone"];
  }

  /** The slices with hints, if the Service wants its endpoints shared out; and what to say of it. */
  #hinted(
    service: Service,
    key: string,
    family: Family,
    slices: readonly PlannedSlice[],
  ): readonly PlannedSlice[] {
    const addressed = (what: string): string => `${what}, addressType: ${family}`;
    const warn = (what: string): void =>
      this.#events.warning(Service, service, "TopologyAwareHintsDisabled", addressed(what));
    const wasShared = this.#shared.get(key);
    if (!isTopologyAware(service)) {
      if (wasShared) warn("Topology Aware Hints has been disabled");
      this.#shared.delete(key);
      return slices;
    }
    const endpoints = slices.flatMap((slice) => slice.endpoints);
    const hints = shareOut(endpoints, zoneShares(this.#nodes.values()));
    this.#shared.set(key, hints.problem === undefined);
    if (hints.problem !== undefined) {
      warn(hints.problem);
      return slices;
    }
    const enabled = addressed("Topology Aware Hints has been enabled");
    if (!wasShared) this.#events.normal(Service, service, "TopologyAwareHintsEnabled", enabled);
    return withHints(slices, hints.zones);
  }

  async #write(
    service: Service,
    addressType: Family,
    { slice, ports, endpoints }: PlannedSlice,
    trigger: string | undefined,
  ): Promise<void> {
    const labels = sliceLabels(service);
    const annotations = withTrigger(slice?.metadata?.annotations, trigger);
    if (slice) {
      const isSame =
        deepEqual(slice.endpoints ?? [], endpoints) &&
        deepEqual(slice.ports ?? [], ports) &&
        deepEqual(slice.metadata?.labels, labels);
      const metadata = { ...slice.metadata, labels, annotations };
      if (!isSame) await this.#client.update(EndpointSlice, { ...slice, metadata, endpoints, ports });
      return;
    }
    const { name, namespace } = service.metadata ?? {};
    const ownerReferences = [controllerReference(service, { kind: Service })];
    const metadata = { generateName: `${name}-`, namespace, labels, annotations, ownerReferences };
    try {
      await this.#client.create(EndpointSlice, { metadata, addressType, endpoints, ports });
    } catch (error) {
      if (!isNamespaceTerminating(error)) throw error;
    }
  }

  async #remove({ metadata }: EndpointSlice): Promise<void> {
    try {
      await this.#client.delete(EndpointSlice, metadata?.name ?? "", { namespace: metadata?.namespace });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/** Zones are those of the endpoints of all slices, in order. */
function withHints(
  slices: readonly PlannedSlice[],
  zones: readonly (string | undefined)[],
): readonly PlannedSlice[] {
  let at = 0;
  return slices.map((slice) => ({
    ...slice,
    endpoints: slice.endpoints.map((endpoint) => {
      const zone = zones[at++];
      return zone === undefined ? endpoint : { ...endpoint, hints: { forZones: [{ name: zone }] } };
    }),
  }));
}

const isOurs = ({ metadata }: EndpointSlice): boolean =>
  metadata?.labels?.["endpointslice.kubernetes.io/managed-by"] === managedBy;

/** The Service a slice of ours belongs to. */
function* serviceOf({ previous, current }: ObjectChange<EndpointSlice>): Iterable<string> {
  const slice = current ?? previous;
  const name = slice?.metadata?.labels?.[serviceLabel];
  if (slice && name && isOurs(slice)) yield keyOf(name, slice.metadata?.namespace);
}
