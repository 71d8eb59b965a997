// Those who listen to a cache. One that throws is reported and does not keep the change from the others.
import type { ObjectChange } from "./delta-queue.js";

export type ChangeHandler<T> = (change: ObjectChange<T>) => void;

interface Subscriber<T> {
  readonly handler: ChangeHandler<T>;
  isActive: boolean;
}

export class Subscribers<T> {
  /** Replaced, never changed, so that a delivery is not disturbed by those who come and go meanwhile. */
  #all: readonly Subscriber<T>[] = [];
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  get size(): number {
    return this.#all.length;
  }

  /** Adds one, tells it what `first` tells, and returns how to end it. */
  add(handler: ChangeHandler<T>, first: (tell: ChangeHandler<T>) => void): () => void {
    const subscriber: Subscriber<T> = { handler, isActive: true };
    this.#all = [...this.#all, subscriber];
    first((change) => this.#tell(subscriber, change));
    return () => {
      subscriber.isActive = false;
      this.#all = this.#all.filter((other) => other !== subscriber);
    };
  }

  deliver(change: ObjectChange<T>): void {
    for (const subscriber of this.#all) this.#tell(subscriber, change);
  }

  clear(): void {
    this.#all = [];
  }

  #tell(subscriber: Subscriber<T>, change: ObjectChange<T>): void {
    if (!subscriber.isActive) return;
    try {
      subscriber.handler(change);
    } catch (error) {
      this.#onError(error);
    }
  }
}
