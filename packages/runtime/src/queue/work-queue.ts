// The work queue: which keys need work, each at most once, none reconciled by two replicas at a time.
//
// Guarantees
// - A key that was added is taken; added while in flight, it is taken once more after it was given back.
// - A key that failed is not taken before its backoff has passed, however many changes arrive meanwhile. Urgent ones (a
//   new spec, a new dependency) cut a long wait short, at most once a second, without making the backoff longer.
// - Fresh changes go before background work; of every eight takes one goes to background work all the same, and every
//   other one when it has waited too long.
// - Nothing is kept of a key that does not wait, is not in flight, not due and has not failed.
import type { Clock } from "@kubewright/api";
import { Backoff, type BackoffOptions } from "./backoff.js";
import { DelayQueue } from "./delay-queue.js";
import { describeEntries, describeEntry, type KeyState } from "./key-state.js";
import { FairLanes, Lane, type WaitingPlace } from "./lane.js";
import { higher, type Priority, WorkEntry } from "./work-entry.js";

/** The clock of a work queue, its backoff, and how it shares its workers among groups of keys. */
export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly random?: (() => number) | undefined;
  readonly backoff?: BackoffOptions | undefined;
  /** The group of a key, when groups are to be served round-robin; `byNamespace` is one. First come, first served without. */
  readonly fairBy?: ((key: string) => string) | undefined;
  /** The wait after which background work gets every other take, in milliseconds. Default: 10 s. */
  readonly maxBackgroundWait?: number | undefined;
  /** Counted up by the queue; outlives it when a controller has one queue after the other. */
  readonly tally?: QueueTally | undefined;
}

/** The counters of a queue, for metrics. */
export interface QueueTally {
  /** Keys added that did not wait already. */
  adds: number;
  /** Keys that came back with a backoff. */
  retries: number;
}

/** Options of adding a key to a work queue. */
export interface AddOptions {
  /** Default: `fresh`. */
  readonly priority?: Priority | undefined;
  /** The reason, for the worker that takes the key. */
  readonly reason?: string | undefined;
  /** The past failures of the key may no longer mean anything: try it sooner than its backoff says. */
  readonly urgent?: boolean | undefined;
}

/** A key in flight; give it back with `done`. */
export interface WorkItem {
  readonly key: string;
  readonly reasons: readonly string[];
  /** The time when it began to wait, on the monotonic clock. */
  readonly since: number;
}

/** Of this many takes, one goes to background work when both kinds wait; fewer once it has waited too long. */
const backgroundShare = 8;
const overdueShare = 2;
const none: readonly string[] = [];

/** The work queue of a controller: holds each key once, never hands it to two workers, and delays failures. */
export class WorkQueue {
  readonly #entries = new Map<string, WorkEntry>();
  readonly #waiting: { readonly fresh: WaitingPlace; readonly background: WaitingPlace };
  readonly #delayed: DelayQueue<WorkEntry>;
  readonly #backoff: Backoff;
  readonly #clock: Clock;
  readonly #maxBackgroundWait: number;
  readonly #tally: QueueTally;
  readonly #takers: ((item: WorkItem | undefined) => void)[] = [];
  #takes = 0;
  #isPaused = false;
  #isClosed = false;

  constructor(options: WorkQueueOptions) {
    const { fairBy } = options;
    const place = (): WaitingPlace => (fairBy ? new FairLanes(fairBy) : new Lane());
    this.#waiting = { fresh: place(), background: place() };
    this.#clock = options.clock;
    this.#maxBackgroundWait = options.maxBackgroundWait ?? 10_000;
    this.#tally = options.tally ?? { adds: 0, retries: 0 };
    this.#backoff = new Backoff(options.backoff, options.random);
    this.#delayed = new DelayQueue(options.clock, (entry) => this.#onDue(entry));
  }

  /** Keys that wait, without those in flight or delayed. */
  get length(): number {
    return this.#waiting.fresh.size + this.#waiting.background.size;
  }

  /** Keys of which anything is known: waiting, in flight, delayed or failed. */
  get size(): number {
    return this.#entries.size;
  }

  /** Keys that wait, by priority, and those that are due later. */
  get depth(): { readonly fresh: number; readonly background: number; readonly delayed: number } {
    const { fresh, background } = this.#waiting;
    return { fresh: fresh.size, background: background.size, delayed: this.#delayed.size };
  }

  add(key: string, options: AddOptions = {}): void {
    if (this.#isClosed) return;
    const entry = this.#entry(key);
    if (options.reason) entry.note(options.reason);
    this.#request(entry, options.priority ?? "fresh", options.urgent ?? false);
  }

  /** Queues the key later, as background work; of several delays the earliest counts. */
  addAfter(key: string, delay: number): void {
    if (this.#isClosed) return;
    const entry = this.#entry(key);
    const due = this.#clock.monotonic() + Math.max(0, delay);
    this.#delay(entry, "background", Math.max(due, this.#backoff.allowedAt(entry, false)));
  }

  /**
   * The key in flight failed: it comes back after its backoff, which doubles until `forget`, but no later than after `within`
   * milliseconds. Returns the delay.
   */
  retry(key: string, within = Number.POSITIVE_INFINITY): number {
    if (this.#isClosed) return 0;
    const entry = this.#entry(key);
    const now = this.#clock.monotonic();
    this.#tally.retries += 1;
    this.#backoff.fail(entry, now);
    for (const reason of entry.takenFor) entry.note(reason);
    // A delay asked for before the failure must not cut the backoff short.
    this.#delayed.cancel(entry);
    const due = Math.min(entry.retryAt, now + Math.max(0, within));
    this.#delay(entry, entry.priority, due);
    return due - now;
  }

  /** The key succeeded: its next failure starts from the smallest delay. */
  forget(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    entry.failures = 0;
    this.#drop(entry);
  }

  /** The number of failures of the key since it last succeeded. */
  failures(key: string): number {
    return this.#entries.get(key)?.failures ?? 0;
  }

  /** The state of a key; undefined when it is not in the queue. */
  look(key: string): KeyState | undefined {
    const entry = this.#entries.get(key);
    return entry && describeEntry(entry);
  }

  /** The states of the first keys, up to a limit: those that wait before those that are due later. */
  snapshot(limit: number): readonly KeyState[] {
    return describeEntries(this.#entries.values(), limit);
  }

  /** The next key; undefined once closed. */
  take(): Promise<WorkItem | undefined> {
    const item = this.#isPaused ? undefined : this.#next();
    if (item || this.#isClosed) return Promise.resolve(item);
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  /** While paused keys are collected and none is handed out. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  set isPaused(isPaused: boolean) {
    this.#isPaused = isPaused;
    while (!isPaused && this.#takers.length > 0 && this.length > 0) this.#takers.shift()?.(this.#next());
  }

  /** Gives a key back. */
  done(key: string): void {
    const entry = this.#entries.get(key);
    if (entry?.state !== "taken") return;
    entry.state = "idle";
    const { again, isAgainUrgent } = entry;
    entry.again = undefined;
    entry.isAgainUrgent = false;
    if (again) this.#request(entry, again, isAgainUrgent);
    else this.#drop(entry);
  }

  /** Drops what waits and wakes every taker with nothing. */
  close(): void {
    this.#isClosed = true;
    this.#delayed.close();
    for (const place of [this.#waiting.fresh, this.#waiting.background])
      for (let entry = place.first; entry; entry = place.first) place.remove(entry);
    this.#entries.clear();
    for (const taker of this.#takers.splice(0)) taker(undefined);
  }

  #entry(key: string): WorkEntry {
    let entry = this.#entries.get(key);
    if (!entry) {
      entry = new WorkEntry(key);
      this.#entries.set(key, entry);
    }
    return entry;
  }

  #drop(entry: WorkEntry): void {
    if (entry.isForgettable) this.#entries.delete(entry.key);
  }

  /** Queues the key as soon as it may be: now, when it is given back, or when its backoff allows. */
  #request(entry: WorkEntry, priority: Priority, isUrgent: boolean): void {
    if (entry.state === "taken") {
      entry.again = higher(entry.again, priority);
      entry.isAgainUrgent ||= isUrgent;
      return;
    }
    const allowedAt = entry.state === "idle" ? this.#backoff.allowedAt(entry, isUrgent) : 0;
    if (allowedAt > 0 && allowedAt > this.#clock.monotonic()) this.#delay(entry, priority, allowedAt);
    else this.#enqueue(entry, priority);
  }

  #delay(entry: WorkEntry, priority: Priority, due: number): void {
    entry.duePriority = entry.heapIndex === -1 ? priority : higher(entry.duePriority, priority);
    this.#delayed.schedule(entry, due);
  }

  #onDue(entry: WorkEntry): void {
    entry.note(entry.failures > 0 ? "retry" : "scheduled");
    if (entry.state === "taken") entry.again = higher(entry.again, entry.duePriority);
    else this.#enqueue(entry, entry.duePriority);
  }

  #enqueue(entry: WorkEntry, priority: Priority): void {
    if (entry.state === "waiting") {
      if (priority === entry.priority || priority === "background") return;
      this.#waiting.background.remove(entry);
    } else {
      this.#tally.adds += 1;
      entry.state = "waiting";
      entry.since = this.#clock.monotonic();
    }
    entry.priority = priority;
    this.#waiting[priority].push(entry);
    if (!this.#isPaused) this.#takers.shift()?.(this.#next());
  }

  #next(): WorkItem | undefined {
    const place = this.#nextPlace();
    const entry = place.first;
    if (!entry) return undefined;
    place.remove(entry);
    this.#delayed.cancel(entry);
    entry.state = "taken";
    entry.takenFor = entry.reasons ?? none;
    entry.reasons = undefined;
    return { key: entry.key, reasons: entry.takenFor, since: entry.since };
  }

  #nextPlace(): WaitingPlace {
    const { fresh, background } = this.#waiting;
    const oldest = background.first;
    if (!oldest) return fresh;
    this.#takes += 1;
    const isOverdue = this.#clock.monotonic() - oldest.since > this.#maxBackgroundWait;
    if (fresh.size > 0 && this.#takes < (isOverdue ? overdueShare : backgroundShare)) return fresh;
    this.#takes = 0;
    return background;
  }
}

/** Groups keys by their namespace; cluster-scoped ones are a group of their own. */
export function byNamespace(key: string): string {
  return key.slice(0, Math.max(0, key.indexOf("/")));
}

export type { KeyState } from "./key-state.js";
export type { Priority } from "./work-entry.js";
