// One kind kept in step with the server: list, then watch, again and again, into a store, telling handlers.
import {
  type Clock,
  isGone,
  type KubeObject,
  type ResourceDescriptor,
  sleep,
  type WatchEvent,
} from "@kubewright/api";
import type { Client } from "@kubewright/client";
import { objectKey, Store } from "./store.js";

/** One change of the cache. `initial` marks what the first list brought. */
export interface ObjectChange<T> {
  readonly key: string;
  readonly previous: T | undefined;
  /** Undefined when it was deleted. */
  readonly current: T | undefined;
  readonly initial: boolean;
}

export interface InformerOptions<T extends KubeObject> {
  readonly client: Client;
  readonly resource: ResourceDescriptor<T>;
  readonly clock: Clock;
  readonly namespace?: string | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
}

const minDelay = 100;
const maxDelay = 30_000;

export class Informer<T extends KubeObject> {
  readonly store = new Store<T>();
  readonly resource: ResourceDescriptor<T>;
  readonly #options: InformerOptions<T>;
  readonly #handlers = new Set<(change: ObjectChange<T>) => void>();
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  readonly #synced = deferred();

  constructor(options: InformerOptions<T>) {
    this.#options = options;
    this.resource = options.resource;
  }

  /** Calls back for every change from now on; what is cached already comes first, as additions. */
  onChange(handler: (change: ObjectChange<T>) => void): () => void {
    this.#handlers.add(handler);
    for (const [key, current] of this.#entries())
      handler({ key, previous: undefined, current, initial: true });
    return () => this.#handlers.delete(handler);
  }

  /** Resolves when the first list is in the store. */
  synced(): Promise<void> {
    return this.#synced.promise;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  *#entries(): Iterable<[string, T]> {
    for (const key of this.store.keys()) {
      const object = this.store.get(key);
      if (object) yield [key, object];
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    let delay = minDelay;
    let version: string | undefined;
    while (!signal.aborted) {
      try {
        version ??= await this.#list(signal);
        delay = minDelay;
        version = await this.#watch(version, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (isGone(error)) version = undefined;
        this.#options.onError?.(error);
        await sleep(this.#options.clock, delay, signal).catch(() => undefined);
        delay = Math.min(maxDelay, delay * 2);
      }
    }
  }

  async #list(signal: AbortSignal): Promise<string> {
    const { client, namespace } = this.#options;
    const list = await client.list(this.resource, { namespace, signal });
    const gone = new Set(this.store.keys());
    for (const object of list.items) {
      const key = objectKey(object);
      gone.delete(key);
      this.#put(key, object);
    }
    for (const key of gone) this.#delete(key);
    this.#synced.resolve();
    return list.metadata.resourceVersion ?? "";
  }

  /** Returns the version to go on from when the server ends the watch. */
  async #watch(from: string, signal: AbortSignal): Promise<string> {
    const { client, namespace } = this.#options;
    let version = from;
    const watch = client.watch(this.resource, {
      namespace,
      resourceVersion: from,
      allowWatchBookmarks: true,
      signal,
    });
    for await (const event of watch) {
      version = event.object.metadata?.resourceVersion ?? version;
      this.#apply(event);
    }
    return version;
  }

  #apply({ type, object }: WatchEvent<T>): void {
    if (type === "ADDED" || type === "MODIFIED") this.#put(objectKey(object), object);
    else if (type === "DELETED") this.#delete(objectKey(object));
  }

  #put(key: string, object: T): void {
    const known = this.store.get(key);
    if (known && known.metadata?.resourceVersion === object.metadata?.resourceVersion) return;
    const previous = this.store.set(key, object);
    this.#notify({ key, previous, current: object, initial: !this.#synced.done });
  }

  #delete(key: string): void {
    const previous = this.store.delete(key);
    if (previous) this.#notify({ key, previous, current: undefined, initial: false });
  }

  #notify(change: ObjectChange<T>): void {
    for (const handler of this.#handlers) handler(change);
  }
}

function deferred(): { promise: Promise<void>; resolve: () => void; done: boolean } {
  let release: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => {
    release = resolve;
  });
  const state = { promise, done: false, resolve: () => undefined as void };
  state.resolve = () => {
    state.done = true;
    release();
  };
  return state;
}
