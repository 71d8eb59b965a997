// The ledger of one write to a service: the addresses and ports it allocates and releases. Nothing is released before the write
// is done, and every allocation is released when it fails.
import type { Transaction } from "../../strategy.js";
import type { Family } from "./ip-families.js";

/** The Service that holds a cluster IP. */
export interface AddressOwner {
  readonly namespace: string;
  readonly name: string;
}

/** Cluster IPs; what cannot be had is an AllocationError. */
export interface AddressPool {
  /** The IP families the cluster has addresses of. */
  readonly families: readonly Family[];
  take(address: string): void;
  takeAny(family: Family): string;
  /** The write that took the address is done. */
  keep(address: string, owner: AddressOwner): void;
  /** The write that took the address has failed. */
  giveBack(address: string): void;
  release(address: string): void;
}

/** Node ports; what cannot be had is an AllocationError. */
export interface PortPool {
  /** A port out of range is an error too, except in a dry run, as on kube-apiserver. */
  take(port: number, dryRun: boolean): void;
  takeAny(): number;
  release(port: number): void;
}

/** The allocators of a Service's addresses and ports. */
export interface ServiceAllocators {
  readonly addresses: AddressPool;
  readonly nodePorts: PortPool;
}

export class ServiceLedger implements Transaction {
  readonly #allocators: ServiceAllocators;
  readonly #owner: () => AddressOwner;
  readonly #dryRun: boolean;
  readonly #addresses: string[] = [];
  readonly #ports: number[] = [];
  readonly #formerAddresses: string[] = [];
  readonly #formerPorts: number[] = [];

  /** The owner is asked for at the end: a generated name may change until then. */
  constructor(allocators: ServiceAllocators, owner: () => AddressOwner, dryRun: boolean) {
    this.#allocators = allocators;
    this.#owner = owner;
    this.#dryRun = dryRun;
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
    if (port !== 0) nodePorts.take(port, this.#dryRun);
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
