// The cache of one kind: the store, objects set aside, and the event handlers. Its parts are filled by
// reflectors, one for each namespace watched, and by own writes.
import { type Clock, isObject, type KubeObject, type ObjectMeta } from "@kubewright/api";
import { type ChangeOrigin, DeltaQueue, type ObjectChange } from "./delta-queue.js";
import { isSameState, keyOf, objectKey } from "./object-key.js";
import { MalformedObjectError, type PrepareOptions, Preparer } from "./prepare.js";
import { SetAside } from "./set-aside.js";
import { Store } from "./store.js";
import { type ChangeHandler, Subscribers } from "./subscribers.js";

export interface CacheOptions<T> extends PrepareOptions<T> {
  readonly clock: Clock;
  /** The name of the kind in messages. */
  readonly kind: string;
  /** Called for objects set aside, and for event handlers and index functions that throw. */
  readonly onError: (error: unknown) => void;
}

export class Cache<T extends KubeObject> {
  readonly store: Store<T>;
  readonly setAside = new SetAside();
  readonly #options: CacheOptions<T>;
  readonly #preparer: Preparer<T>;
  readonly #subscribers: Subscribers<T>;
  readonly #deltas: DeltaQueue<T>;

  constructor(options: CacheOptions<T>) {
    this.#options = options;
    this.store = new Store(options.onError);
    this.#preparer = new Preparer(options);
    this.#subscribers = new Subscribers(options.onError);
    this.#deltas = new DeltaQueue({
      clock: options.clock,
      deliver: (change) => this.#subscribers.deliver(change),
    });
  }

  /** Delivers the cached objects to the handler, as additions, and then every change. */
  subscribe(handler: ChangeHandler<T>): () => void {
    // Pending changes are delivered to the other handlers first: for this one they are part of the cached objects.
    this.#deltas.flush();
    return this.#subscribers.add(handler, (deliver) =>
      this.store.forEach((current, key) => {
        deliver({ key, previous: undefined, current, initial: true, origin: "list" });
      }),
    );
  }

  /** The object as it is to be stored; undefined when it was set aside. */
  admit(raw: T, isShared: boolean): T | undefined {
    try {
      const object = this.#preparer.prepare(raw, isShared);
      if (!this.setAside.isEmpty) this.setAside.delete(objectKey(object));
      return object;
    } catch (error) {
      this.#reject(raw, error);
      return undefined;
    }
  }

  put(key: string, current: T, origin: ChangeOrigin, initial: boolean): void {
    const known = this.store.get(key);
    if (known && isSameState(known, current)) {
      // An object from the watch shares its parts with others; one from the response to a write does not.
      if (origin === "watch") this.store.set(key, current);
      return;
    }
    const previous = this.store.set(key, current);
    this.#enqueue({ key, previous, current, initial, origin });
  }

  remove(key: string, origin: ChangeOrigin): void {
    const previous = this.store.delete(key);
    if (previous) this.#enqueue({ key, previous, current: undefined, initial: false, origin });
  }

  /** Removes all handlers and drops pending changes. */
  close(): void {
    this.#subscribers.clear();
    this.#deltas.close();
  }

  #enqueue(change: ObjectChange<T>): void {
    if (this.#subscribers.size > 0) this.#deltas.add(change);
  }

  #reject(raw: T, cause: unknown): void {
    const metadata = readableMetadata(raw);
    const key = metadata ? keyOf(metadata.name ?? "", metadata.namespace) : "";
    const why = cause instanceof Error ? cause.message : String(cause);
    if (!this.setAside.add(key, metadata, why)) return;
    const what = key === "" ? `a ${this.#options.kind}` : `${this.#options.kind} ${key}`;
    this.#options.onError(new MalformedObjectError(`${what} is set aside: ${why}`, { cause }));
  }
}

/** The metadata of something that may be anything; undefined unless it says which object it is about. */
export function readableMetadata(raw: unknown): ObjectMeta | undefined {
  const metadata = isObject(raw) ? raw["metadata"] : undefined;
  if (!isObject(metadata)) return undefined;
  const { name, namespace, uid, resourceVersion } = metadata;
  if (typeof name !== "string" || name === "") return undefined;
  return { name, namespace: textOf(namespace), uid: textOf(uid), resourceVersion: textOf(resourceVersion) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
