// One change may be news to thousands of watches. They are written to a few milliseconds at a stretch, and everyone else is served in
// between.

/** Milliseconds of writing at a stretch. */
const stretch = 5;
/** How many are written to before the time is looked at. */
const atLeast = 8;

export interface Flushable {
  flush(): void;
}

export class FlushQueue {
  readonly #now: () => number;
  #waiting: Flushable[] = [];
  #isCalled = false;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Has it flushed in a later round of the event loop, after those that came before. */
  add(one: Flushable): void {
    this.#waiting.push(one);
    if (this.#isCalled) return;
    this.#isCalled = true;
    setImmediate(this.#round);
  }

  readonly #round = (): void => {
    const end = this.#now() + stretch;
    const waiting = this.#waiting;
    let done = 0;
    for (const one of waiting) {
      one.flush();
      if (++done % atLeast === 0 && this.#now() > end) break;
    }
    this.#waiting = waiting.slice(done);
    this.#isCalled = this.#waiting.length > 0;
    if (this.#isCalled) setImmediate(this.#round);
  };
}
