// Services by node port.
import type { Service } from "@kubewright/api";

/** The node ports of a Service, once for all protocols; one that is there twice for the same protocol is listed twice. */
export function nodePortsOf({ spec }: Service): readonly number[] {
  const protocols = new Map<number, Set<string>>();
  const ports: number[] = [];
  const add = (port: number, protocol: string): void => {
    const known = protocols.get(port) ?? new Set();
    if (known.size === 0 || known.has(protocol)) ports.push(port);
    protocols.set(port, known.add(protocol));
  };
  for (const { nodePort, protocol = "TCP" } of spec?.ports ?? []) if (nodePort) add(nodePort, protocol);
  if (spec?.healthCheckNodePort) add(spec.healthCheckNodePort, "TCP");
  return ports;
}

export class PortHolders {
  readonly #byPort = new Map<number, Set<string>>();

  /** Keeps up with a change; returns others that may have a port for themselves now, or no longer. */
  update(key: string, before: Service | undefined, after: Service | undefined): readonly string[] {
    const ports = new Set([...(before ? nodePortsOf(before) : []), ...(after ? nodePortsOf(after) : [])]);
    const has = new Set(after ? nodePortsOf(after) : []);
    const affected = new Set<string>();
    for (const port of ports) {
      const holders = this.#byPort.get(port) ?? new Set();
      if (has.has(port)) holders.add(key);
      else holders.delete(key);
      if (holders.size === 0) this.#byPort.delete(port);
      else this.#byPort.set(port, holders);
      for (const holder of holders) if (holder !== key) affected.add(holder);
    }
    return [...affected];
  }

  /** The Service that may keep the port: the first by namespace and name. */
  firstOf(port: number): string | undefined {
    return [...(this.#byPort.get(port) ?? [])].toSorted()[0];
  }
}
