// Per-key exponential backoff: 5 ms, 10 ms, … up to 1000 s, with jitter so that failures do not march in step.

export interface BackoffOptions {
  /** The first delay, in milliseconds. */
  readonly base?: number | undefined;
  readonly max?: number | undefined;
}

export class Backoff {
  readonly #failures = new Map<string, number>();
  readonly #base: number;
  readonly #max: number;
  readonly #random: () => number;

  constructor(options: BackoffOptions = {}, random: () => number = Math.random) {
    this.#base = options.base ?? 5;
    this.#max = options.max ?? 1_000_000;
    this.#random = random;
  }

  /** Counts a failure and says how long to wait: the full delay, less up to a tenth. */
  next(key: string): number {
    const failures = this.failures(key);
    this.#failures.set(key, failures + 1);
    const delay = Math.min(this.#max, this.#base * 2 ** failures);
    return delay * (1 - this.#random() / 10);
  }

  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  reset(key: string): void {
    this.#failures.delete(key);
  }
}
