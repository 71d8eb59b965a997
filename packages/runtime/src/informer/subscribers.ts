// The event handlers of a cache. One that throws is reported and does not keep the change from the others.
import type { ObjectChange } from "./delta-queue.js";

/** Called with each change of a cached object. */
export type ChangeHandler<T> = (change: ObjectChange<T>) => void;

interface Subscriber<T> {
  readonly handler: ChangeHandler<T>;
  isActive: boolean;
}

export class Subscribers<T> {
  /** Replaced, never changed, so that a delivery is not disturbed by handlers that are added or removed meanwhile. */
  #all: readonly Subscriber<T>[] = [];
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  get size(): number {
    return this.#all.length;
  }

  /** Adds a handler, delivers the changes of `first` to it, and returns the function that removes it. */
  add(handler: ChangeHandler<T>, first: (deliver: ChangeHandler<T>) => void): () => void {
    const subscriber: Subscriber<T> = { handler, isActive: true };
    this.#all = [...this.#all, subscriber];
    first((change) => this.#deliver(subscriber, change));
    return () => {
      subscriber.isActive = false;
      this.#all = this.#all.filter((other) => other !== subscriber);
    };
  }

  deliver(change: ObjectChange<T>): void {
    for (const subscriber of this.#all) this.#deliver(subscriber, change);
  }

  clear(): void {
    this.#all = [];
  }

  #deliver(subscriber: Subscriber<T>, change: ObjectChange<T>): void {
    if (!subscriber.isActive) return;
    try {
      subscriber.handler(change);
    } catch (error) {
      this.#onError(error);
    }
  }
}
