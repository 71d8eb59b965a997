// The view of the cluster that the network of process nodes needs: the endpoints of Services, and DNS names. Watches Services
// and EndpointSlices.
import { type Clock, EndpointSlice, Service, type Timer } from "@kubewright/api";
import type { InformerLease, InformerPool } from "@kubewright/runtime";
import type { ServiceTarget } from "./agent/messages.js";
import { type NetworkTables, networkTables, serviceTargets } from "./network-tables.js";

/** Changes within this time are sent together. */
const settleTime = 10;

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
    return service ? serviceTargets(service, port, this.#slices.informer.store.list()) : [];
  }

  /** Resolves when everything that the API shows now has been passed on: a program that starts before finds no Service. */
  async current(): Promise<void> {
    await Promise.all([this.#services.informer.synced(), this.#slices.informer.synced()]);
    if (!this.#timer) return;
    this.#timer.cancel();
    this.#notify();
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
