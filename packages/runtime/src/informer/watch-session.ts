// One watch connection with a watchdog. Connections die in silence (a firewall forgets them, a node vanishes), so a watch
// that says nothing for too long, not even a bookmark, is taken for dead.
import { type Clock, TimeoutError, type Timer, type WatchEvent } from "@kubewright/api";
import type { WatchIterator } from "@kubewright/client";

export interface WatchSessionOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The idle timeout, in milliseconds; infinite for connections that cannot die in silence. */
  readonly idleTimeout: number;
}

/** A watch was silent for too long. */
export class IdleWatchError extends TimeoutError {}

/** The events a session reads. */
export type WatchEvents<T> = AsyncIterator<WatchEvent<T>, unknown> & Pick<WatchIterator<T>, "nextNow">;

interface Waiting<T> {
  resolve(event: WatchEvent<T> | undefined): void;
  reject(error: unknown): void;
}

export class WatchSession<T> {
  readonly #events: WatchEvents<T>;
  readonly #options: WatchSessionOptions;
  readonly #onAbort: () => void;
  readonly #startedAt: number;
  #idleTimeout: number;
  #lastEvent: number;
  #timer: Timer | undefined;
  #waiting: Waiting<T> | undefined;
  #isOpen = true;

  constructor(events: WatchEvents<T>, options: WatchSessionOptions) {
    this.#events = events;
    this.#options = options;
    this.#idleTimeout = options.idleTimeout;
    this.#startedAt = options.clock.monotonic();
    this.#lastEvent = this.#startedAt;
    this.#onAbort = () => this.#fail(options.signal.reason);
    options.signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#arm();
  }

  /** Milliseconds since it was opened. */
  get age(): number {
    return this.#options.clock.monotonic() - this.#startedAt;
  }

  /** From now on, this is how long nothing may come. */
  set idleTimeout(timeout: number) {
    this.#idleTimeout = timeout;
    this.#arm();
  }

  /** The next event; undefined when the server has ended the watch. Rejects when aborted, silent or broken. */
  next(): Promise<WatchEvent<T> | undefined> {
    if (this.#options.signal.aborted) return Promise.reject(this.#options.signal.reason);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#events.next().then((result) => {
        this.#lastEvent = this.#options.clock.monotonic();
        resolve(result.done ? undefined : result.value);
      }, reject);
    });
  }

  /** The next event, if it has come already. */
  nextNow(): WatchEvent<T> | undefined {
    return this.#isOpen ? this.#events.nextNow?.() : undefined;
  }

  /** Closes the connection and leaves no timer and no listener behind. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#timer?.cancel();
    this.#options.signal.removeEventListener("abort", this.#onAbort);
    // A connection that hangs must not keep anyone from leaving it.
    this.#events.return?.().catch(() => undefined);
  }

  #fail(error: unknown): void {
    this.#waiting?.reject(error);
    this.close();
  }

  /** One timer for the whole watch: it looks when the last event came, and sleeps again for the rest. */
  #arm(): void {
    this.#timer?.cancel();
    if (!this.#isOpen || this.#idleTimeout === Number.POSITIVE_INFINITY) return;
    const { clock } = this.#options;
    const left = this.#lastEvent + this.#idleTimeout - clock.monotonic();
    if (left > 0) this.#timer = clock.setTimer(left, () => this.#arm());
    else this.#fail(new IdleWatchError(`no data for ${this.#idleTimeout} ms; the watch is considered dead`));
  }
}
