// Allocates node ports. The stored Services are the truth; this is a cache of theirs.

import type { Service } from "@kubewright/api";
import { AllocationError, nodePortsOf, type PortPool, storedAs } from "@kubewright/kinds";

import type { Storage } from "../storage/index.js";

const first = 30_000;
const last = 32_767;
/** The lower part is for ports that Services ask for by number. */
const dynamicFirst = first + 86;

export class PortAllocator implements PortPool {
  /** By how many: states from elsewhere may have a port twice, which is free when both are gone. */
  readonly #taken = new Map<number, number>();
  readonly #random: () => number;

  constructor(storage: Storage, random: () => number) {
    this.#random = random;
    const services = [...storage.list("services", { prefix: "" })].map(storedAs<Service>);
    for (const { spec = {} } of services)
      for (const port of new Set([...nodePortsOf(spec), ...healthPort(spec)])) this.#add(port);
  }

  take(port: number, dryRun: boolean): void {
    if (!dryRun && (port < first || port > last)) {
      throw new AllocationError(
        `provided port is not in the valid range. The range of valid ports is ${first}-${last}`,
      );
    }
    if (this.#taken.has(port)) throw new AllocationError("provided port is already allocated");
    this.#add(port);
  }

  /** A free port, chosen by chance; throws an AllocationError when there is none. */
  takeAny(): number {
    const port = this.#freeIn(dynamicFirst, last) ?? this.#freeIn(first, dynamicFirst - 1);
    if (port === undefined) throw new AllocationError("range is full");
    this.#add(port);
    return port;
  }

  release(port: number): void {
    const holders = this.#taken.get(port) ?? 0;
    if (holders > 1) this.#taken.set(port, holders - 1);
    else this.#taken.delete(port);
  }

  #add(port: number): void {
    this.#taken.set(port, (this.#taken.get(port) ?? 0) + 1);
  }

  #freeIn(from: number, to: number): number | undefined {
    const size = to - from + 1;
    const start = Math.floor(this.#random() * size);
    for (let step = 0; step < size; step++) {
      const port = from + ((start + step) % size);
      if (!this.#taken.has(port)) return port;
    }
    return undefined;
  }
}

const healthPort = ({ healthCheckNodePort }: NonNullable<Service["spec"]>): number[] =>
  healthCheckNodePort ? [healthCheckNodePort] : [];
