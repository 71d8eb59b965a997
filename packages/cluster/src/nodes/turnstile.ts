// Lets only so many do something at once, in the order they came. Nodes share a process: a thousand pods written at the same
// time are no faster than a few, and hold the memory of all that is half done.

export class Turnstile {
  readonly #waiting: (() => void)[] = [];
  #free: number;
  #next = 0;

  constructor(places: number) {
    this.#free = places;
  }

  /** Runs the work when there is a place. */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  /** Hands the place to the one that has waited longest. */
  #leave(): void {
    const next = this.#waiting[this.#next];
    if (!next) {
      this.#free += 1;
      return;
    }
    this.#next += 1;
    if (this.#next === this.#waiting.length) {
      this.#waiting.length = 0;
      this.#next = 0;
    }
    next();
  }
}
