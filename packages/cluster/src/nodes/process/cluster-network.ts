// The view of the cluster that the network of process nodes needs: the endpoints of Services, and DNS names. Watches Services
// and EndpointSlices.
import { type Clock, EndpointSlice, Service, type Timer } from "@kubewright/api";
import type { InformerLease, InformerPool } from "@kubewright/runtime";
import type { NameTable, ServicePort, ServiceTarget } from "./agent/messages.js";
import { nodeRange, podRange } from "./agent/messages.js";

/** Changes that come together are told together. */
const settleTime = 10;
const domain = "cluster.local";
const serviceLabel = "kubernetes.io/service-name";

export interface NetworkTables {
  readonly ports: readonly ServicePort[];
  readonly names: NameTable;
}

export class ClusterNetwork {
  readonly #services: InformerLease<Service>;
  readonly #slices: InformerLease<EndpointSlice>;
  readonly #unsubscribe: readonly (() => void)[];
  readonly #onTables: (tables: NetworkTables) => void;
  #timer: Timer | undefined;

  constructor(pool: InformerPool, clock: Clock, onTables: (tables: NetworkTables) => void) {
    this.#onTables = onTables;
    this.#services = pool.acquire(Service);
    this.#slices = pool.acquire(EndpointSlice);
    const changed = (): void => {
      this.#timer ??= clock.setTimer(settleTime, () => this.#notify());
    };
    this.#unsubscribe = [this.#services.informer.onChange(changed), this.#slices.informer.onChange(changed)];
    changed();
  }

  /** The Services of a namespace, for variables of containers. */
  servicesIn(namespace: string): readonly Service[] {
    return this.#services.informer.store.list().filter(({ metadata }) => metadata?.namespace === namespace);
  }

  /** Where a port of a Service leads; empty when nobody is ready there. */
  targetsOf(namespace: string, name: string, port: number): readonly ServiceTarget[] {
    const service = this.servicesIn(namespace).find(({ metadata }) => metadata?.name === name);
    const found = service?.spec?.ports?.find((each) => each.port === port);
    return service && found
      ? targetsOf(slicesOf(service, this.#slices.informer.store.list()), found.name)
      : [];
  }

  async close(): Promise<void> {
    this.#timer?.cancel();
    for (const stop of this.#unsubscribe) stop();
    await Promise.all([this.#services.release(), this.#slices.release()]);
  }

  #notify(): void {
    this.#timer = undefined;
    this.#onTables(networkTables(this.#services.informer.store.list(), this.#slices.informer.store.list()));
  }
}

/** The tables of ports and names for Services and EndpointSlices. */
export function networkTables(services: readonly Service[], slices: readonly EndpointSlice[]): NetworkTables {
  const ports: ServicePort[] = [];
  const names = new Names();
  for (const service of services) {
    const { spec, metadata } = service;
    const name = `${metadata?.name}.${metadata?.namespace}.svc.${domain}`;
    if (spec?.type === "ExternalName") names.alias(name, spec.externalName ?? "");
    const own = slicesOf(service, slices);
    if (spec?.clusterIP === "None") names.headless(name, own);
    for (const address of addressesOf(service)) {
      names.add(name, address);
      for (const { port, name: portName, protocol = "TCP" } of spec?.ports ?? []) {
        names.port(name, portName, protocol, port, name);
        if (protocol === "TCP") ports.push({ address, port, targets: targetsOf(own, portName) });
      }
    }
  }
  return { ports, names: names.table() };
}

/** The address of the Service that the network can carry. */
const addressesOf = ({ spec }: Service): readonly string[] =>
  (spec?.clusterIPs ?? []).filter((address) => /^\d+\.\d+\.\d+\.\d+$/.test(address));

const slicesOf = ({ metadata }: Service, slices: readonly EndpointSlice[]): readonly EndpointSlice[] =>
  slices.filter(
    (slice) =>
      slice.addressType === "IPv4" &&
      slice.metadata?.namespace === metadata?.namespace &&
      slice.metadata?.labels?.[serviceLabel] === metadata?.name,
  );

function targetsOf(slices: readonly EndpointSlice[], portName: string | undefined): readonly ServiceTarget[] {
  return slices.flatMap(({ endpoints, ports }) => {
    const found = ports?.find(({ name }) => (name ?? "") === (portName ?? ""));
    if (found?.port === undefined) return [];
    const { port } = found;
    return (endpoints ?? [])
      .filter(({ conditions }) => conditions?.ready !== false)
      .flatMap(({ addresses }) => addresses.slice(0, 1))
      .map((address) => ({ address, port, isOutside: !isInside(address) }));
  });
}

/** Whether an address is in the network of the nodes. */
const isInside = (address: string): boolean =>
  [podRange, nodeRange].some((range) => isWithin(address, range));

function isWithin(address: string, range: string): boolean {
  const [base = "", bits = "32"] = range.split("/");
  const size = 2 ** (32 - Number(bits));
  return Math.floor(numberOf(address) / size) === Math.floor(numberOf(base) / size);
}

const numberOf = (address: string): number =>
  address.split(".").reduce((number, part) => number * 256 + Number(part), 0);

class Names {
  readonly #addresses = new Map<string, Set<string>>();
  readonly #services = new Map<string, { port: number; target: string }[]>();
  readonly #aliases = new Map<string, string>();

  add(name: string, address: string): void {
    const known = this.#addresses.get(name) ?? new Set();
    this.#addresses.set(name, known.add(address));
  }

  alias(name: string, target: string): void {
    this.#aliases.set(name, target.toLowerCase().replace(/\.$/, ""));
  }

  port(name: string, portName: string | undefined, protocol: string, port: number, target: string): void {
    if (!portName) return;
    const key = `_${portName}._${protocol.toLowerCase()}.${name}`.toLowerCase();
    const known = this.#services.get(key) ?? [];
    this.#services.set(key, [...known, { port, target }]);
  }

  /** Every ready endpoint is an address of the name, and has a name of its own below it. */
  headless(name: string, slices: readonly EndpointSlice[]): void {
    for (const { endpoints, ports } of slices)
      for (const { addresses, hostname, conditions } of endpoints ?? []) {
        const [address] = addresses;
        if (address === undefined || conditions?.ready === false) continue;
        const own = `${hostname ?? address.replaceAll(".", "-")}.${name}`;
        this.add(name, address);
        this.add(own, address);
        for (const port of ports ?? [])
          if (port.port !== undefined) this.port(name, port.name, port.protocol ?? "TCP", port.port, own);
      }
  }

  table(): NameTable {
    return {
      addresses: Object.fromEntries([...this.#addresses].map(([name, all]) => [name, [...all]])),
      services: Object.fromEntries(this.#services),
      aliases: Object.fromEntries(this.#aliases),
    };
  }
}
