// The events of one watch between the store that makes them and the client that takes them.
import type { WatchEvent } from "@kubewright/api";

export interface EventStreamOptions {
  /** Events a client may be behind before it is dropped. */
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

/** A queue read as an async iterable. It ends by itself when its client falls too far behind, as the real server's do. */
export class EventStream implements AsyncIterable<WatchEvent<unknown>> {
  #queue: WatchEvent<unknown>[] = [];
  #head = 0;
  #wake: (() => void) | undefined;
  #ended = false;
  #last: Promise<void> | undefined;
  readonly #onEnd: (() => void)[] = [];
  readonly #limit: number;

  constructor(options: EventStreamOptions) {
    this.#limit = options.limit;
    const { signal } = options;
    if (signal) {
      const abort = (): void => this.end();
      signal.addEventListener("abort", abort, { once: true });
      this.onEnd(() => signal.removeEventListener("abort", abort));
      if (signal.aborted) this.end();
    }
  }

  push(event: WatchEvent<unknown>): void {
    if (this.#ended) return;
    if (this.#last) this.pushLater(Promise.resolve(event));
    else this.#enqueue(event);
  }

  /**
   * For events that must be converted first; order is kept, and nothing is sent where there turns out to be none. A failed
   * conversion ends the stream.
   */
  pushLater(event: Promise<WatchEvent<unknown> | undefined>): void {
    const previous = this.#last ?? Promise.resolve();
    const next = previous
      .then(async () => {
        const converted = await event;
        if (converted) this.#enqueue(converted);
      })
      .catch(() => this.end())
      .then(() => {
        if (this.#last === next) this.#last = undefined;
      });
    this.#last = next;
  }

  /** No more events; those queued are still delivered. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const callback of this.#onEnd.splice(0)) callback();
    this.#notify();
  }

  onEnd(callback: () => void): void {
    if (this.#ended) callback();
    else this.#onEnd.push(callback);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WatchEvent<unknown>, void> {
    try {
      while (true) {
        const event = this.#queue[this.#head];
        if (event) {
          this.#advance();
          yield event;
        } else if (this.#ended) return;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.end();
    }
  }

  #enqueue(event: WatchEvent<unknown>): void {
    if (this.#ended) return;
    if (this.#queue.length - this.#head >= this.#limit) {
      this.end();
      return;
    }
    this.#queue.push(event);
    this.#notify();
  }

  #advance(): void {
    this.#head++;
    if (this.#head === this.#queue.length) {
      this.#queue = [];
      this.#head = 0;
    }
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
