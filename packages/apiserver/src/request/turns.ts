// Long work is done in turns: all requests share one thread, and none may keep the others waiting.

/** Milliseconds of work at a stretch. */
const stretch = 5;

/** Those who have long work to do, one at a time: between any two of them everyone else is served. */
export class TurnQueue {
  readonly #waiting: (() => void)[] = [];

  /** Resolves when it is the turn of whoever asked. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(this.#call);
    });
  }

  readonly #call = (): void => {
    this.#waiting.shift()?.();
    // An immediate set by another one waits until connections and timers were looked after.
    if (this.#waiting.length > 0) setImmediate(this.#call);
  };
}

/** The turns of one piece of work. */
export class Turns {
  readonly #queue: TurnQueue;
  #since = performance.now();

  constructor(queue: TurnQueue) {
    this.#queue = queue;
  }

  /** Whether it is someone else's turn. */
  get isOver(): boolean {
    return performance.now() - this.#since > stretch;
  }

  /** Resolves when everyone else had a turn. */
  async next(): Promise<void> {
    await this.#queue.next();
    this.#since = performance.now();
  }
}

/** Runs work that pauses now and then, and lets others go first whenever its turn is over. At once where nobody shares turns. */
export async function inTurns<T>(turns: Turns | undefined, steps: Iterator<undefined, T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    // After the last step too: what comes next may begin with a long one.

    if (done) return value;
  }
}

/** What a function makes of many things, a slice at a time. */
export async function inSlices<T, R>(
  queue: TurnQueue,
  things: readonly T[],
  size: number,
  work: (slice: readonly T[]) => readonly R[] | Promise<readonly R[]>,
): Promise<readonly R[]> {
  if (things.length <= size) return work(things);
  const turns = new Turns(queue);
  const results: R[] = [];
  for (let start = 0; start < things.length; start += size) {
    for (const result of await work(things.slice(start, start + size))) results.push(result);
    if (turns.isOver) await turns.next();
  }
  return results;
}
