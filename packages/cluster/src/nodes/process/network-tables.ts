// The tables of the network of process nodes: where the ports of Services lead, and what the names of the cluster stand for.
import type { EndpointSlice, Service } from "@kubewright/api";
import {
  type NameTable,
  nodeRange,
  podRange,
  type ServicePort,
  type ServiceTarget,
} from "./agent/messages.js";

const domain = "cluster.local";
const serviceLabel = "kubernetes.io/service-name";

export interface NetworkTables {
  readonly ports: readonly ServicePort[];
  readonly names: NameTable;
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

/** Where a port of a Service leads; empty when nobody is ready there. */
export function serviceTargets(
  service: Service,
  port: number,
  slices: readonly EndpointSlice[],
): readonly ServiceTarget[] {
  const found = service.spec?.ports?.find((each) => each.port === port);
  return found ? targetsOf(slicesOf(service, slices), found.name) : [];
}

/** The same tables with other addresses for all that is in the network of the nodes. */
export function mapAddresses(
  { ports, names }: NetworkTables,
  addressOf: (address: string) => string,
): NetworkTables {
  const addresses = Object.entries(names.addresses).map(([name, all]) => [name, all.map(addressOf)] as const);
  return {
    ports: ports.map(({ address, port, targets }) => ({
      address: addressOf(address),
      port,
      targets: targets.map((each) => (each.isOutside ? each : { ...each, address: addressOf(each.address) })),
    })),
    names: { ...names, addresses: Object.fromEntries(addresses) },
  };
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
