// When thousands of runs are due in the same second, all begin at once, and take turns at the API server: requests that
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

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      this.#pass();
    }
  }

  #pass(): void {
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
