// All watches a server has open. They share one timer, whatever their number, and end when the server does.
import type { Clock, Timer } from "@kubewright/api";

/** An open watch. */
export interface OpenWatch {
  /** When it next wants to be called, by the monotonic clock. */
  readonly due: number;
  /** Called when due; puts `due` off, or closes the watch. */
  tick(now: number): void;
  /** The server stops. */
  close(): void;
}

export class OpenWatches {
  readonly #clock: Clock;
  readonly #watches = new Set<OpenWatch>();
  #timer: Timer | undefined;
  /** The time the timer is set to. */
  #next = Number.POSITIVE_INFINITY;
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#watches.size;
  }

  /** Keeps a watch until the returned function is called. */
  add(watch: OpenWatch): () => void {
    if (this.#closed) watch.close();
    else {
      this.#watches.add(watch);
      if (watch.due < this.#next) this.#arm(watch.due);
    }
    return () => this.#remove(watch);
  }

  /** Ends all of them. */
  close(): void {
    this.#closed = true;
    for (const watch of [...this.#watches]) watch.close();
    this.#watches.clear();
    this.#arm(Number.POSITIVE_INFINITY);
  }

  #remove(watch: OpenWatch): void {
    this.#watches.delete(watch);
    if (this.#watches.size === 0) this.#arm(Number.POSITIVE_INFINITY);
  }

  #arm(next: number): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#next = next;
    if (next === Number.POSITIVE_INFINITY) return;
    this.#timer = this.#clock.setTimer(Math.max(0, next - this.#clock.monotonic()), () => this.#tick());
  }

  #tick(): void {
    const now = this.#clock.monotonic();
    let next = Number.POSITIVE_INFINITY;
    for (const watch of this.#watches) {
      if (watch.due <= now) watch.tick(now);
      if (this.#watches.has(watch)) next = Math.min(next, watch.due);
    }
    this.#arm(next);
  }
}
