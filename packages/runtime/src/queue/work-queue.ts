// The work queue: which keys need work, each at most once, none in two hands at a time.
import type { Clock } from "@kubewright/api";
import { Backoff, type BackoffOptions } from "./backoff.js";
import { DelayQueue } from "./delay-queue.js";

/** Fresh changes overtake the initial list and periodic work, but never starve it. */
export type Priority = "fresh" | "background";

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly random?: (() => number) | undefined;
  readonly backoff?: BackoffOptions | undefined;
}

export interface AddOptions {
  readonly priority?: Priority | undefined;
  /** Why, for whoever takes the key. */
  readonly reason?: string | undefined;
}

/** A key in hand; give it back with `done`. */
export interface WorkItem {
  readonly key: string;
  readonly reasons: readonly string[];
}

/** Of this many takes, one goes to background work when both kinds wait. */
const backgroundShare = 8;
const maxReasons = 8;

export class WorkQueue {
  /** Waiting, in order; a key is in at most one of the two. */
  readonly #waiting = { fresh: new Lane(), background: new Lane() };
  /** Taken and not yet given back. */
  readonly #processing = new Set<string>();
  /** Added while processing: to be queued again when given back. */
  readonly #again = new Map<string, Priority>();
  readonly #reasons = new Map<string, string[]>();
  readonly #delayed: DelayQueue;
  readonly #backoff: Backoff;
  readonly #takers: ((item: WorkItem | undefined) => void)[] = [];
  #sinceBackground = 0;
  #closed = false;

  constructor(options: WorkQueueOptions) {
    this.#backoff = new Backoff(options.backoff, options.random);
    this.#delayed = new DelayQueue(options.clock, (key) => this.add(key, { reason: "scheduled" }));
  }

  /** Keys that wait, without those in hand or delayed. */
  get length(): number {
    return this.#waiting.fresh.size + this.#waiting.background.size;
  }

  add(key: string, options: AddOptions = {}): void {
    if (this.#closed) return;
    const priority = options.priority ?? "fresh";
    if (options.reason) this.#noteReason(key, options.reason);
    if (this.#processing.has(key)) {
      if (this.#again.get(key) !== "fresh") this.#again.set(key, priority);
      return;
    }
    const { fresh, background } = this.#waiting;
    if (fresh.has(key)) return;
    if (priority === "fresh") {
      background.delete(key);
      fresh.add(key);
    } else background.add(key);
    this.#serve();
  }

  /** Queues the key later; of several delays the earliest counts. */
  addAfter(key: string, delay: number): void {
    if (this.#closed) return;
    if (delay <= 0) this.add(key, { reason: "scheduled" });
    else this.#delayed.add(key, delay);
  }

  /** Queues the key after its backoff, which doubles with every call until `forget`. */
  retry(key: string): number {
    const delay = this.#backoff.next(key);
    this.addAfter(key, delay);
    return delay;
  }

  /** The key succeeded: its next failure starts from the smallest delay. */
  forget(key: string): void {
    this.#backoff.reset(key);
  }

  /** How often the key failed since it last succeeded. */
  failures(key: string): number {
    return this.#backoff.failures(key);
  }

  /** The next key; undefined once closed. */
  take(): Promise<WorkItem | undefined> {
    const item = this.#next();
    if (item || this.#closed) return Promise.resolve(item);
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  done(key: string): void {
    this.#processing.delete(key);
    const priority = this.#again.get(key);
    if (priority === undefined) return;
    this.#again.delete(key);
    this.add(key, { priority });
  }

  /** Drops what waits and wakes every taker with nothing. */
  close(): void {
    this.#closed = true;
    this.#delayed.close();
    this.#waiting.fresh.clear();
    this.#waiting.background.clear();
    this.#reasons.clear();
    for (const taker of this.#takers.splice(0)) taker(undefined);
  }

  #serve(): void {
    const taker = this.#takers.shift();
    if (taker) taker(this.#next());
  }

  #next(): WorkItem | undefined {
    const key = this.#nextKey();
    if (key === undefined) return undefined;
    this.#processing.add(key);
    this.#delayed.delete(key);
    const reasons = this.#reasons.get(key);
    if (reasons) this.#reasons.delete(key);
    return { key, reasons: reasons ?? none };
  }

  #nextKey(): string | undefined {
    const { fresh, background } = this.#waiting;
    const preferBackground =
      background.size > 0 && (fresh.size === 0 || this.#sinceBackground >= backgroundShare);
    this.#sinceBackground = preferBackground ? 0 : this.#sinceBackground + 1;
    return (preferBackground ? background : fresh).shift();
  }

  #noteReason(key: string, reason: string): void {
    const reasons = this.#reasons.get(key);
    if (!reasons) this.#reasons.set(key, [reason]);
    else if (reasons.length < maxReasons && !reasons.includes(reason)) reasons.push(reason);
  }
}

const none: readonly string[] = [];

/** A set in order of arrival. One iterator is kept going, so that taking the first costs O(1) however many have left. */
class Lane {
  readonly #keys = new Set<string>();
  #front: Iterator<string> | undefined;

  get size(): number {
    return this.#keys.size;
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  add(key: string): void {
    this.#keys.add(key);
  }

  delete(key: string): void {
    this.#keys.delete(key);
  }

  clear(): void {
    this.#keys.clear();
    this.#front = undefined;
  }

  shift(): string | undefined {
    if (this.#keys.size === 0) return undefined;
    this.#front ??= this.#keys.values();
    let next = this.#front.next();
    if (next.done) {
      this.#front = this.#keys.values();
      next = this.#front.next();
    }
    if (next.done) return undefined;
    this.#keys.delete(next.value);
    return next.value;
  }
}
