// The delta queue: changes of a cache on their way to event handlers. A key that changes again before delivery is delivered once:
// from the state last delivered to the current one. So a burst of events for one object, or a relist on top of them, costs
// each handler one call.
//
// Guarantees
// - The deliveries of a key are a chain: each change begins with the state the one before ended with, and the last one ends
//   with the state in the cache. Nothing is delivered twice, nothing that lasts is left out.
// - An object and its successor of the same name are two objects: the deletion of one is delivered, then the addition of the other.
// - Keys are delivered in the order of their first change since their last delivery.
import type { Clock, KubeObject } from "@kubewright/api";
import { isSameObject, isSameState } from "./object-key.js";

/** The origin of a change: a list, the watch, or a write of this process. */
export type ChangeOrigin = "list" | "watch" | "write";

/** One change of a cached object: its key, and its states before and after. */
export interface ObjectChange<T> {
  readonly key: string;
  /** Undefined when it was added. */
  readonly previous: T | undefined;
  /** Undefined when it was deleted. */
  readonly current: T | undefined;
  /** True for what the first list brought. */
  readonly initial: boolean;
  readonly origin: ChangeOrigin;
}

interface Pending<T> {
  /** The state last delivered. */
  readonly known: T | undefined;
  current: T | undefined;
  initial: boolean;
  origin: ChangeOrigin;
}

export interface DeltaQueueOptions<T> {
  readonly clock: Clock;
  /** Must not throw. */
  readonly deliver: (change: ObjectChange<T>) => void;
}

/** Keys delivered before the event loop runs other work. */
const batchSize = 1000;

export class DeltaQueue<T extends KubeObject> {
  readonly #options: DeltaQueueOptions<T>;
  readonly #pending = new Map<string, Pending<T>>();
  #scheduled: { readonly immediate: NodeJS.Immediate; readonly done: () => void } | undefined;

  constructor(options: DeltaQueueOptions<T>) {
    this.#options = options;
  }

  /** The number of keys with changes to deliver. */
  get length(): number {
    return this.#pending.size;
  }

  /** `previous` must be what the key held before: the `current` of its last change. */
  add({ key, previous, current, initial, origin }: ObjectChange<T>): void {
    const pending = this.#pending.get(key);
    if (pending) {
      pending.current = current;
      pending.initial &&= initial;
      pending.origin = origin;
    } else this.#pending.set(key, { known: previous, current, initial, origin });
    this.#schedule();
  }

  /** Delivers everything now. */
  flush(): void {
    this.#deliver(Number.POSITIVE_INFINITY);
    this.#cancel();
  }

  /** Drops changes that were not delivered. */
  close(): void {
    this.#pending.clear();
    this.#cancel();
  }

  /** Delivery waits for the event loop, so that changes that arrive together are delivered together. */
  #schedule(): void {
    if (this.#scheduled) return;
    const done = this.#options.clock.busy("changes of a cache");
    const immediate = setImmediate(() => {
      this.#scheduled = undefined;
      this.#deliver(batchSize);
      if (this.#pending.size > 0) this.#schedule();
      done();
    });
    this.#scheduled = { immediate, done };
  }

  #cancel(): void {
    if (!this.#scheduled) return;
    clearImmediate(this.#scheduled.immediate);
    this.#scheduled.done();
    this.#scheduled = undefined;
  }

  #deliver(limit: number): void {
    let left = limit;
    for (const [key, pending] of this.#pending) {
      if (left-- <= 0) return;
      this.#pending.delete(key);
      this.#deliverKey(key, pending);
    }
  }

  #deliverKey(key: string, { known, current, initial, origin }: Pending<T>): void {
    const { deliver } = this.#options;
    if (known && current && !isSameObject(known, current)) {
      deliver({ key, previous: known, current: undefined, initial: false, origin });
      deliver({ key, previous: undefined, current, initial, origin });
    } else if (known && current ? !isSameState(known, current) : (known ?? current)) {
      deliver({ key, previous: known, current, initial, origin });
    }
  }
}
