// One change may be news to thousands of watches. They are written to some at a time, and everyone else is served in between. Node
// encrypts and sends what is written only after the round that wrote it: so it is not the time that is looked at, but what will take it.

/** Watches that are written to in one round. */
const mostAtOnce = 128;
/** Bytes that are written in one round, not counting those of the last watch. */
const mostBytes = 1024 * 1024;

export interface Flushable {
  /** Returns how many bytes it has written. */
  flush(): number;
}

export class FlushQueue {
  #waiting: Flushable[] = [];
  #isCalled = false;
  /** Written in this round. */
  #done = 0;
  #bytes = 0;

  /** Has it flushed in a later round of the event loop, after those that came before. */
  add(one: Flushable): void {
    this.#waiting.push(one);
    this.#call();
  }

  /** Flushes it at once, unless others wait or enough is written in this round already. Says whether it did. */
  tryNow(one: Flushable): boolean {
    if (this.#waiting.length > 0 || this.#isEnough) return false;
    this.#flush(one);
    this.#call();
    return true;
  }

  get #isEnough(): boolean {
    return this.#done >= mostAtOnce || this.#bytes > mostBytes;
  }

  #flush(one: Flushable): void {
    this.#bytes += one.flush();
    this.#done++;
  }

  #call(): void {
    if (this.#isCalled) return;
    this.#isCalled = true;
    setImmediate(this.#round);
  }

  readonly #round = (): void => {
    const waiting = this.#waiting;
    this.#isCalled = false;
    this.#bytes = 0;
    this.#done = 0;
    if (waiting.length === 0) return;
    // A flushed entry may be queued again, after all others.
    this.#waiting = [];
    let next = 0;
    for (; next < waiting.length && !this.#isEnough; next++) {
      const one = waiting[next];
      if (one) this.#flush(one);
    }
    this.#waiting = [...waiting.slice(next), ...this.#waiting];
    this.#call();
  };
}
