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

  /** Has it flushed in a later round of the event loop, after those that came before. */
  add(one: Flushable): void {
    this.#waiting.push(one);
    if (this.#isCalled) return;
    this.#isCalled = true;
    setImmediate(this.#round);
  }

  readonly #round = (): void => {
    const waiting = this.#waiting;
    let done = 0;
    let bytes = 0;
    for (const one of waiting) {
      if (done === mostAtOnce || bytes > mostBytes) break;
      bytes += one.flush();
      done++;
    }
    this.#waiting = waiting.slice(done);
    this.#isCalled = this.#waiting.length > 0;
    if (this.#isCalled) setImmediate(this.#round);
  };
}
