// The requests of a campaign that took longest.

export interface Timed {
  readonly index: number;
  readonly milliseconds: number;
  /** Method and path. */
  readonly what: string;
}

/** How many are kept. */
const kept = 10;

/** Keeps the requests that took longest, the longest first. */
export class Longest {
  readonly #top: Timed[] = [];

  add(timed: Timed): void {
    const last = this.#top[kept - 1];
    if (last && timed.milliseconds <= last.milliseconds) return;
    this.#top.push(timed);
    this.#top.sort((left, right) => right.milliseconds - left.milliseconds);
    this.#top.length = Math.min(this.#top.length, kept);
  }

  get all(): readonly Timed[] {
    return this.#top;
  }

  lines(): string[] {
    return this.#top.map(
      ({ index, milliseconds, what }) =>
        `${milliseconds.toFixed(0).padStart(6)} ms  request ${index}, ${what.slice(0, 120)}`,
    );
  }
}
