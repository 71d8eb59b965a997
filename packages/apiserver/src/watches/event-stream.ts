// The events of one watch between the store that makes them and the client that takes them.
//
// Guarantees
// - Events come in the order they were given, also where some must be converted first.
// - What a client that does not keep up can hold back is bounded: it is dropped, as kube-apiserver drops it, and its next
//   watch starts from the last version it saw.
import type { WatchEvent } from "@kubewright/api";
import type { WatchEventCount } from "../metrics/watch-event-metrics.js";

/** One event, or several that are still being converted. */
export type Pending = WatchEvent<unknown> | Promise<readonly WatchEvent<unknown>[]>;

export interface EventStreamOptions {
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined;
  /** Events a client may be behind. */
  readonly maxEvents?: number | undefined;
  /** Bytes a client may be behind, about. */
  readonly maxBytes?: number | undefined;
  /** Counts events that were taken. */
  readonly count?: WatchEventCount | undefined;
}

/** Spares readers in this process the wait for each of many events that came together. */
interface NextNow {
  nextNow(): WatchEvent<unknown> | undefined;
}

interface Queued {
  readonly what: Pending;
  readonly size: number;
}

type Result = IteratorResult<WatchEvent<unknown>, undefined>;

const done: Result = { value: undefined, done: true };

/** A bounded queue, read as an async iterable by one reader. */
export class EventStream implements AsyncIterable<WatchEvent<unknown>> {
  /** Counts encoded events and their sizes. */
  readonly count: WatchEventCount | undefined;
  readonly #maxEvents: number;
  readonly #maxBytes: number;
  /** The backlog from before the stream: encoded as it is read, and not counted as lag of the client. */
  #backlog: Iterator<Pending> | undefined;
  #queue: Queued[] = [];
  #head = 0;
  #bytes = 0;
  #converted: readonly WatchEvent<unknown>[] = [];
  #nextConverted = 0;
  #wake: (() => void) | undefined;
  #ended = false;
  #overflowed = false;
  readonly #onEnd: (() => void)[] = [];

  constructor(options: EventStreamOptions = {}) {
    this.#maxEvents = options.maxEvents ?? 4096;
    this.#maxBytes = options.maxBytes ?? 16 * 1024 * 1024;
    const { signal, count } = options;
    this.count = count;
    if (!signal) return;
    const abort = (): void => this.drop();
    if (signal.aborted) abort();
    else {
      signal.addEventListener("abort", abort, { once: true });
      this.onEnd(() => signal.removeEventListener("abort", abort));
    }
  }

  /** Whether the client was too slow. */
  get overflowed(): boolean {
    return this.#overflowed;
  }

  /** Sets the events that come before all pushed ones. */
  begin(backlog: Iterable<Pending>): void {
    if (this.#ended) return;
    this.#backlog = backlog[Symbol.iterator]();
    this.#notify();
  }

  /** Adds to the end; `size` is about what the client will have to read. */
  push(what: Pending, size: number): void {
    // Failures count when their turn comes.
    if (what instanceof Promise) what.catch(() => undefined);
    if (this.#ended) return;
    this.#bytes += size;
    if (this.#queue.length - this.#head >= this.#maxEvents || this.#bytes > this.#maxBytes) {
      this.#overflowed = true;
      this.drop();
      return;
    }
    this.#queue.push({ what, size });
    this.#notify();
  }

  /** No more events; those that wait are still delivered. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const callback of this.#onEnd.splice(0)) callback();
    this.#notify();
  }

  /** No more events, not even those that wait. */
  drop(): void {
    this.#backlog = undefined;
    this.#queue = [];
    this.#head = 0;
    this.#bytes = 0;
    this.#converted = [];
    this.end();
  }

  onEnd(callback: () => void): void {
    if (this.#ended) callback();
    else this.#onEnd.push(callback);
  }

  [Symbol.asyncIterator](): AsyncIterator<WatchEvent<unknown>, undefined> & NextNow {
    return {
      next: () => this.#next(),
      nextNow: () => this.#nextNow(),
      return: async () => {
        this.drop();
        return done;
      },
    };
  }

  async #next(): Promise<Result> {
    while (true) {
      const event = this.#converted[this.#nextConverted++];
      if (event) return this.#given(event);
      const what = this.#take();
      if (what instanceof Promise) await this.#convert(what);
      else if (what) return this.#given(what);
      else if (this.#ended) return done;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** The next event if it waits and needs no conversion. */
  #nextNow(): WatchEvent<unknown> | undefined {
    if (this.#backlog || this.#nextConverted < this.#converted.length) return undefined;
    if (this.#queue[this.#head]?.what instanceof Promise) return undefined;
    const event = this.#take();
    if (!event || event instanceof Promise) return undefined;
    if (this.count) this.count.sent++;
    return event;
  }

  #given(value: WatchEvent<unknown>): Result {
    if (this.count) this.count.sent++;
    return { value, done: false };
  }

  async #convert(events: Promise<readonly WatchEvent<unknown>[]>): Promise<void> {
    try {
      this.#converted = await events;
      this.#nextConverted = 0;
    } catch {
      this.drop();
    }
  }

  #take(): Pending | undefined {
    if (this.#backlog) {
      const { value, done: isOver } = this.#backlog.next();
      if (!isOver) return value;
      this.#backlog = undefined;
    }
    const queued = this.#queue[this.#head];
    if (!queued) return undefined;
    this.#bytes -= queued.size;
    this.#head++;
    if (this.#head === this.#queue.length || this.#head > 1024) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    return queued.what;
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
