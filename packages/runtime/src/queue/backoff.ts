// Per-key exponential backoff: 5 ms, 10 ms, … up to 1000 s, with jitter so that failures do not march in step.

/** The exponential backoff of failing keys, in milliseconds. */
export interface BackoffOptions {
  /** The first delay; each failure after it doubles the delay. Default: 5 ms. */
  readonly base?: number | undefined;
  /** The longest delay. Default: 1000 s. */
  readonly max?: number | undefined;
  /** The time after a failure from which an urgent change may cut a longer delay short. Default: 1 s. */
  readonly urgent?: number | undefined;
}

/** Computes delays; the caller keeps the failures of each key. */
export class Backoff {
  readonly #base: number;
  readonly #max: number;
  readonly #urgent: number;
  readonly #random: () => number;

  constructor(options: BackoffOptions = {}, random: () => number = Math.random) {
    this.#base = options.base ?? 5;
    this.#max = options.max ?? 1_000_000;
    this.#urgent = options.urgent ?? 1_000;
    this.#random = random;
  }

  /** The delay after so many failures in a row: the full one, less up to a tenth. */
  delay(failures: number): number {
    return Math.min(this.#max, this.#base * 2 ** (failures - 1)) * (1 - this.#random() / 10);
  }

  /** The time when a key that failed may be tried again. */
  allowedAt(history: FailureHistory, isUrgent: boolean): number {
    if (history.failures === 0) return 0;
    return isUrgent ? Math.min(history.retryAt, history.failedAt + this.#urgent) : history.retryAt;
  }

  /**
   * Counts a failure. One that happens before the key's deadline (an urgent change cut the wait short) leaves the
   * deadline as it is: changes neither burn retries nor inflate the delay.
   */
  fail(history: FailureHistory, now: number): void {
    history.failedAt = now;
    if (history.failures > 0 && now < history.retryAt) return;
    history.failures += 1;
    history.retryAt = now + this.delay(history.failures);
  }
}

/** The failures of a key since it last succeeded. */
export interface FailureHistory {
  failures: number;
  /** The time when it last failed. */
  failedAt: number;
  /** The deadline of its backoff. */
  retryAt: number;
}
