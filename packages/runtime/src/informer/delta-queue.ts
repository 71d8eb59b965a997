// Changes of a cache on their way to those who listen. A key that changes again before its change was told is told once:
// from what was last told of it to what it is now. So a burst of events for one object, or a relist on top of them, costs
// its listeners one call.
//
// Guarantees
// - What is told of a key is a chain: each change begins with the state the one before ended with, and the last one ends
//   with the state in the cache. Nothing is told twice, nothing that lasts is left out.
// - An object and its successor of the same name are two objects: the end of one is told, then the beginning of the other.
// - Keys are told in the order of their first change since they were last told.
import type { Clock, KubeObject } from "@kubewright/api";
import { isSameObject, isSameState } from "./object-key.js";

/** Who brought a change: a list, the watch, or a write of this process. */
export type ChangeOrigin = "list" | "watch" | "write";

/** One change of the cache. */
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
  /** As last told. */
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

/** Keys told before others get a turn. */
const batchSize = 1000;

export class DeltaQueue<T extends KubeObject> {
  readonly #options: DeltaQueueOptions<T>;
  readonly #pending = new Map<string, Pending<T>>();
  #turn: { readonly immediate: NodeJS.Immediate; readonly done: () => void } | undefined;

  constructor(options: DeltaQueueOptions<T>) {
    this.#options = options;
  }

  /** Keys with something to tell. */
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

  /** Tells everything now. */
  flush(): void {
    this.#tell(Number.POSITIVE_INFINITY);
    this.#cancel();
  }

  /** Forgets what was not told. */
  close(): void {
    this.#pending.clear();
    this.#cancel();
  }

  /** Telling waits for the end of the turn, so that what arrives together is told together. */
  #schedule(): void {
    if (this.#turn) return;
    const done = this.#options.clock.busy("changes of a cache");
    const immediate = setImmediate(() => {
      this.#turn = undefined;
      this.#tell(batchSize);
      if (this.#pending.size > 0) this.#schedule();
      done();
    });
    this.#turn = { immediate, done };
  }

  #cancel(): void {
    if (!this.#turn) return;
    clearImmediate(this.#turn.immediate);
    this.#turn.done();
    this.#turn = undefined;
  }

  #tell(limit: number): void {
    let left = limit;
    for (const [key, pending] of this.#pending) {
      if (left-- <= 0) return;
      this.#pending.delete(key);
      this.#tellKey(key, pending);
    }
  }

  #tellKey(key: string, { known, current, initial, origin }: Pending<T>): void {
    const { deliver } = this.#options;
    if (known && current && !isSameObject(known, current)) {
      deliver({ key, previous: known, current: undefined, initial: false, origin });
      deliver({ key, previous: undefined, current, initial, origin });
    } else if (known && current ? !isSameState(known, current) : (known ?? current)) {
      deliver({ key, previous: known, current, initial, origin });
    }
  }
}
