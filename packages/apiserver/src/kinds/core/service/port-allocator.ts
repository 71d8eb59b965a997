// Which node ports are taken. The stored services say so; this only remembers it.
import type { Service } from "@kubewright/api";
import type { Storage } from "../../../storage/index.js";
import { storedAs } from "../../as-kind.js";
import { AllocationError } from "./allocation-error.js";
import { nodePortsOf } from "./service-traits.js";

const first = 30_000;
const last = 32_767;
/** The lower part is left to those who ask for a port by number. */
const dynamicFirst = first + 86;

export class PortAllocator {
  readonly #taken: Set<number>;
  readonly #random: () => number;

  constructor(storage: Storage, random: () => number) {
    this.#random = random;
    const services = [...storage.list("services", { prefix: "" })].map(storedAs<Service>);
    this.#taken = new Set(services.flatMap(({ spec = {} }) => [...nodePortsOf(spec), ...healthPort(spec)]));
  }

  /** Throws an AllocationError when the port is taken or no node port. */
  take(port: number): void {
    if (port < first || port > last) {
      throw new AllocationError(
        `provided port is not in the valid range. The range of valid ports is ${first}-${last}`,
      );
    }
    if (this.#taken.has(port)) throw new AllocationError("provided port is already allocated");
    this.#taken.add(port);
  }

  /** A free port, chosen by chance; throws an AllocationError when there is none. */
  takeAny(): number {
    const port = this.#freeIn(dynamicFirst, last) ?? this.#freeIn(first, dynamicFirst - 1);
    if (port === undefined) throw new AllocationError("range is full");
    this.#taken.add(port);
    return port;
  }

  release(port: number): void {
    this.#taken.delete(port);
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
