// Ends reconciles that take too long. A timer for each would cost more than most reconciles: they all have the same time
// limit, so they expire in the order they began, and one timer, for the first of them, is enough.
import { type Clock, TimeoutError, type Timer } from "@kubewright/api";

/** Something that can be ended. */
export interface Endable {
  /** Its name in messages: `ModelBox shop/web`. */
  readonly what: string;
  end(reason: Error): void;
}

/** A reconcile took longer than it may. */
export class ReconcileTimeoutError extends TimeoutError {}

export class Watchdog {
  readonly #clock: Clock;
  readonly #limit: number;
  /** The start time of each, the earliest first. */
  readonly #running = new Map<Endable, number>();
  #timer: Timer | undefined;

  /** `limit` in milliseconds; infinity for none. */
  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  begin(run: Endable, now = this.#clock.monotonic()): void {
    if (this.#limit === Number.POSITIVE_INFINITY) return;
    this.#running.set(run, now);
    this.#timer ??= this.#clock.setTimer(this.#limit, () => this.#expire());
  }

  finish(run: Endable): void {
    this.#running.delete(run);
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #expire(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    for (const [run, began] of this.#running) {
      const left = began + this.#limit - now;
      if (left > 0) {
        this.#timer = this.#clock.setTimer(left, () => this.#expire());
        return;
      }
      this.#running.delete(run);
      run.end(new ReconcileTimeoutError(`${run.what}: reconcile took longer than ${this.#limit} ms`));
    }
  }
}
