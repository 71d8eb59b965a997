// Keeps Services and their IPAddress objects in line, also when one of them was deleted: an address that
// nothing stands for could be given to another Service.
import { IPAddress, isAlreadyExists, isNotFound, Service, ServiceCIDR } from "@kubewright/api";
import type { StoreReader } from "@kubewright/runtime";
import type { EventRecorder } from "../../events/event-recorder.js";
import { isWithin } from "../../services/address-ranges.js";
import type { BuiltInController, ControllerEnvironment, RunningController } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";
import {
  addressOf,
  clusterAddresses,
  familyOf,
  isAllocated,
  isLabelled,
  referenceText,
  serviceKey,
} from "./address-object.js";

const name = "service-ip-repair";
/** The server stores a Service and its address one after the other. */
const secondLook = 1_000;
const leakAge = 60_000;

export const serviceAddressController: BuiltInController = {
  name,
  start: (environment) => new ServiceAddresses(environment).start(),
};

/** The event to record, if any, and whether the address belongs to the Service. */
interface Problem {
  readonly event: { readonly reason: string; readonly message: string } | undefined;
  readonly isOurs: boolean;
}

class ServiceAddresses implements RunningController {
  readonly #environment: ControllerEnvironment;
  readonly #events: EventRecorder;
  readonly #serviceLoop: SyncLoop;
  readonly #addressLoop: SyncLoop;
  readonly #services: StoreReader<Service>;
  readonly #addresses: StoreReader<IPAddress>;
  readonly #ranges: StoreReader<ServiceCIDR>;
  /** Keys of Services that lacked an address when they were looked at last. */
  readonly #suspects = new Set<string>();

  constructor(environment: ControllerEnvironment) {
    this.#environment = environment;
    this.#events = environment.events("ipallocator-repair-controller");
    this.#serviceLoop = new SyncLoop(environment, { name, sync: (key) => this.#syncService(key) });
    this.#addressLoop = new SyncLoop(environment, { name, sync: (key) => this.#syncAddress(key) });
    this.#services = this.#serviceLoop.watch(Service, ({ key, current, previous }) => {
      for (const address of previous ? clusterAddresses(previous) : []) this.#addressLoop.add(address);
      return current ? [key] : [];
    });
    this.#serviceLoop.watch(IPAddress, ({ current, previous }) =>
      [current, previous].flatMap((address) => (address && serviceKey(address)) ?? []),
    );
    this.#ranges = this.#serviceLoop.watch(ServiceCIDR, ({ current }) =>
      current ? [] : this.#services.keys(),
    );
    this.#addresses = this.#addressLoop.watch(IPAddress, ({ key, current }) => (current ? [key] : []));
  }

  async start(): Promise<this> {
    await Promise.all([this.#serviceLoop.start(), this.#addressLoop.start()]);
    return this;
  }

  async close(): Promise<void> {
    await Promise.all([this.#serviceLoop.close(), this.#addressLoop.close()]);
  }

  async #syncService(key: string): Promise<number | undefined> {
    const service = this.#services.get(key);
    const wasSuspect = this.#suspects.delete(key);
    if (!service || service.metadata?.deletionTimestamp) return undefined;
    for (const address of clusterAddresses(service)) {
      const problem = this.#problem(service, key, address);
      if (problem === undefined) continue;
      if (!wasSuspect) {
        this.#suspects.add(key);
        return secondLook;
      }
      const { event, isOurs } = problem;
      if (event) this.#events.warning(Service, service, event.reason, event.message);
      if (isOurs) await this.#repair(service, address);
    }
    return undefined;
  }

  /** The problem of the IPAddress of a Service's address. */
  #problem(service: Service, key: string, address: string): Problem | undefined {
    const family = familyOf(address);
    if (!this.#isInRange(address)) {
      const message = `Cluster IP [${family}]: ${address} is not within any configured Service CIDR; please recreate service`;
      return { event: { reason: "ClusterIPOutOfRange", message }, isOurs: false };
    }
    const found = this.#addresses.get(address);
    const lost = (message: string): Problem => ({
      event: { reason: "ClusterIPNotAllocated", message },
      isOurs: true,
    });
    if (!found) return lost(`Cluster IP [${family}]: ${address} is not allocated; repairing`);
    const owner = serviceKey(found);
    if (owner === key) return isLabelled(found) ? undefined : { event: undefined, isOurs: true };
    const other = owner === undefined ? undefined : this.#services.get(owner);
    const { namespace, name: called } = service.metadata ?? {};
    if (!other)
      return lost(
        `the ClusterIP [${family}]: ${address} for Service ${namespace}/${called} has a wrong reference; repairing`,
      );
    if (!clusterAddresses(other).includes(address)) return undefined;
    const message = `Cluster IP [${family}]:${address} was assigned to multiple services; please recreate service`;
    return { event: { reason: "ClusterIPAlreadyAllocated", message }, isOurs: false };
  }

  #isInRange(address: string): boolean {
    for (const { spec } of this.#ranges.values()) if (isWithin(address, spec?.cidrs ?? [])) return true;
    return false;
  }

  async #repair(service: Service, address: string): Promise<void> {
    const { client } = this.#environment;
    if (this.#addresses.get(address)) await this.#delete(address);
    await client.create(IPAddress, addressOf(address, service)).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }

  async #syncAddress(key: string): Promise<number | undefined> {
    const address = this.#addresses.get(key);
    if (!address || !isAllocated(address)) return undefined;
    const owner = serviceKey(address);
    if (owner === undefined) {
      const message = `IPAddress ${key} appears to have been modified, not referencing a Service ${referenceText(address)}: cleaning up`;
      this.#warn(address, "IPAddressNotAllocated", message);
      await this.#delete(key);
      return undefined;
    }
    const service = this.#services.get(owner);
    if (service && clusterAddresses(service).includes(key)) return undefined;
    const age = this.#environment.clock.now() - Date.parse(address.metadata?.creationTimestamp ?? "");
    if (age <= leakAge) return leakAge - age + secondLook;
    const what = `IPAddress: ${key} for Service ${owner}`;
    if (service) this.#warn(address, "IPAddressWrongReference", `${what} has a wrong reference; cleaning up`);
    else this.#warn(address, "IPAddressNotAllocated", `${what} appears to have leaked: cleaning up`);
    await this.#delete(key);
    return undefined;
  }

  #warn(address: IPAddress, reason: string, message: string): void {
    this.#events.warning(IPAddress, address, reason, message);
  }

  async #delete(address: string): Promise<void> {
    await this.#environment.client.delete(IPAddress, address).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}
