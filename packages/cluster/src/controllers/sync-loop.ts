// The frame of a built-in controller: changes in, keys through a work queue, one function that brings a key in line.
//
// Reads come from shared caches that already hold this process's own writes, so a controller never acts twice on the same
// need and has no use for counting what it expects to see.
import { deepEqual, isConflict, isNotFound, type KubeObject, type ResourceDescriptor } from "@kubewright/api";
import {
  type Informer,
  type InformerLease,
  type ObjectChange,
  type StoreReader,
  WorkQueue,
} from "@kubewright/runtime";
import type { ControllerEnvironment, RunningController } from "./controller.js";

export interface SyncLoopOptions {
  readonly name: string;
  /** Brings the world in line with a key; returns after how many milliseconds to look again, if at all. */
  sync(key: string): Promise<number | undefined>;
  /** Keys worked on at once. Default: 5. */
  readonly concurrency?: number | undefined;
}

/** An object whose status a controller writes. */
interface Stated extends KubeObject {
  readonly status?: unknown;
}

export class SyncLoop implements RunningController {
  readonly #environment: ControllerEnvironment;
  readonly #options: SyncLoopOptions;
  readonly #queue: WorkQueue;
  readonly #leases: InformerLease<KubeObject>[] = [];
  readonly #subscriptions: (() => void)[] = [];
  /** The versions this loop wrote last, by uid, until they come back as changes. */
  readonly #echoes = new Map<string, string>();
  #workers: readonly Promise<void>[] = [];

  constructor(environment: ControllerEnvironment, options: SyncLoopOptions) {
    this.#environment = environment;
    this.#options = options;
    this.#queue = new WorkQueue({ clock: environment.clock, random: environment.random });
  }

  /** A cache of the kind, for reading. */
  cache<T extends KubeObject>(resource: ResourceDescriptor<T, unknown>): StoreReader<T> {
    return this.#informer(resource).store;
  }

  /** A cache of the kind whose changes lead to the keys returned. */
  watch<T extends KubeObject>(
    resource: ResourceDescriptor<T, unknown>,
    keys: (change: ObjectChange<T>) => Iterable<string>,
  ): StoreReader<T> {
    const informer = this.#informer(resource);
    this.#subscriptions.push(
      informer.onChange((change) => {
        if (this.#isEcho(change)) return;
        for (const key of keys(change)) this.#queue.add(key);
      }),
    );
    return informer.store;
  }

  add(key: string): void {
    this.#queue.add(key);
  }

  /**
   * Writes a status that says something new, to the very object that was looked at. The change this makes leads to no key:
   * the writer has seen all there is.
   */
  async writeStatus<T extends Stated>(
    resource: ResourceDescriptor<T, T>,
    object: T,
    status: T["status"],
  ): Promise<T> {
    if (deepEqual(status, object.status)) return object;
    const { client } = this.#environment;
    const written = await client.update(resource, { ...object, status }, { subresource: "status" });
    const { uid, resourceVersion } = written.metadata ?? {};
    if (uid !== undefined && resourceVersion !== undefined) this.#echoes.set(uid, resourceVersion);
    return written;
  }

  /** Begins to work as soon as the caches are filled. */
  async start(): Promise<this> {
    await Promise.all(this.#leases.map(({ informer }) => informer.synced()));
    this.#workers = Array.from({ length: this.#options.concurrency ?? 5 }, () => this.#work());
    return this;
  }

  async close(): Promise<void> {
    for (const unsubscribe of this.#subscriptions) unsubscribe();
    this.#queue.close();
    await Promise.all(this.#workers);
    await Promise.all(this.#leases.map((lease) => lease.release()));
  }

  #isEcho({ previous, current }: ObjectChange<KubeObject>): boolean {
    const { uid = "", resourceVersion } = (current ?? previous)?.metadata ?? {};
    const written = this.#echoes.get(uid);
    if (written === undefined || (current && written !== resourceVersion)) return false;
    this.#echoes.delete(uid);
    return current !== undefined;
  }

  #informer<T extends KubeObject>(resource: ResourceDescriptor<T, unknown>): Informer<T> {
    const lease = this.#environment.pool.acquire(resource);
    this.#leases.push(lease as unknown as InformerLease<KubeObject>);
    return lease.informer;
  }

  async #work(): Promise<void> {
    for (let item = await this.#queue.take(); item; item = await this.#queue.take()) {
      const done = this.#environment.clock.busy(`${this.#options.name} ${item.key}`);
      await this.#sync(item.key);
      this.#queue.done(item.key);
      done();
    }
  }

  async #sync(key: string): Promise<void> {
    try {
      const later = await this.#options.sync(key);
      this.#queue.forget(key);
      if (later !== undefined) this.#queue.addAfter(key, later);
    } catch (error) {
      // Somebody else was faster: what they did is in the cache by the time the key comes back.
      if (!isConflict(error) && !isNotFound(error))
        this.#environment.report(`${this.#options.name} ${key}`, error);
      this.#queue.retry(key);
    }
  }
}
