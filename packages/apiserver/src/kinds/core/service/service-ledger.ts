// What one write to a service takes and gives up. Nothing is given up before the write is done, and everything taken is
// given back when it fails.
import type { Transaction } from "../../../registry/strategy.js";
import type { AddressAllocator, AddressOwner } from "./address-allocator.js";
import type { Family } from "./ip-families.js";
import type { PortAllocator } from "./port-allocator.js";

/** What services need and there is only so much of. */
export interface ServiceAllocators {
  readonly addresses: AddressAllocator;
  readonly nodePorts: PortAllocator;
}

export class ServiceLedger implements Transaction {
  readonly #allocators: ServiceAllocators;
  readonly #owner: () => AddressOwner;
  readonly #addresses: string[] = [];
  readonly #ports: number[] = [];
  readonly #formerAddresses: string[] = [];
  readonly #formerPorts: number[] = [];

  /** The owner is asked for at the end: a generated name may change until then. */
  constructor(allocators: ServiceAllocators, owner: () => AddressOwner) {
    this.#allocators = allocators;
    this.#owner = owner;
  }

  /** Families the cluster has addresses of. */
  get families(): readonly Family[] {
    return this.#allocators.addresses.families;
  }

  /** The address itself, or any of the family when none is named. */
  takeAddress(address: string, family: Family): string {
    const { addresses } = this.#allocators;
    if (address !== "") addresses.take(address);
    const taken = address === "" ? addresses.takeAny(family) : address;
    this.#addresses.push(taken);
    return taken;
  }

  /** The port itself, or any when none is named. */
  takePort(port: number): number {
    const { nodePorts } = this.#allocators;
    if (port !== 0) nodePorts.take(port);
    const taken = port === 0 ? nodePorts.takeAny() : port;
    this.#ports.push(taken);
    return taken;
  }

  dropAddress(address: string): void {
    this.#formerAddresses.push(address);
  }

  dropPort(port: number): void {
    this.#formerPorts.push(port);
  }

  commit(): void {
    const { addresses, nodePorts } = this.#allocators;
    for (const address of this.#addresses) addresses.keep(address, this.#owner());
    for (const address of this.#formerAddresses) addresses.release(address);
    for (const port of this.#formerPorts) nodePorts.release(port);
  }

  revert(): void {
    const { addresses, nodePorts } = this.#allocators;
    for (const address of this.#addresses) addresses.giveBack(address);
    for (const port of this.#ports) nodePorts.release(port);
  }
}
