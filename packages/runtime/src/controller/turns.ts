// When thousands of keys are due in the same second, all begin at once, and take turns at the API server: requests that
// wait cost memory, and the server would make them wait anyway.

/** Lets so many do their work at once; the others wait, first come, first served. */
export class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];
  /** How many of those waiting have had their turn: taking from the front of a long list is slow. */
  #served = 0;

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Resolves when it is the caller's turn. A turn must be passed on. */
  take(): Promise<void> {
    if (this.#free === 0) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#free -= 1;
    return Promise.resolve();
  }

  /** Ends a turn: the next one begins. */
  pass(): void {
    const next = this.#waiting[this.#served];
    if (next) {
      this.#served += 1;
      next();
      return;
    }
    this.#free += 1;
    this.#waiting.length = 0;
    this.#served = 0;
  }
}
