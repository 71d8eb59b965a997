// The backoff between attempts to reach a server: exponential, with jitter.

const first = 100;
const longest = 10_000;
/** A server that asks for more is asked again after this long. */
const longestAsked = 300_000;

/** Doubles from 100 ms to 10 s; half of each delay is left to chance. */
export class ReconnectDelay {
  readonly #random: () => number;
  #attempts = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Failures in a row. */
  get attempts(): number {
    return this.#attempts;
  }

  /** Counts a failure; returns milliseconds, at least as many as the server asked for. */
  next(retryAfterSeconds = 0): number {
    const full = Math.min(longest, first * 2 ** Math.min(this.#attempts++, 16));
    const asked = Math.min(longestAsked, retryAfterSeconds * 1000);
    return asked + full * (0.5 + this.#random() / 2);
  }

  reset(): void {
    this.#attempts = 0;
  }
}
