// Long work is done in turns: all requests share one thread, and none may keep the others waiting.

/** Milliseconds of work at a stretch. */
const stretch = 5;

/** The turns of one piece of work. */
export class Turns {
  #since = performance.now();

  /** Whether it is someone else's turn. */
  get isOver(): boolean {
    return performance.now() - this.#since > stretch;
  }

  /** Resolves when everyone else had a turn. */
  async next(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#since = performance.now();
  }
}

/** What a function makes of many things, a slice at a time. */
export async function inSlices<T, R>(
  things: readonly T[],
  size: number,
  work: (slice: readonly T[]) => readonly R[] | Promise<readonly R[]>,
): Promise<readonly R[]> {
  if (things.length <= size) return work(things);
  const turns = new Turns();
  const results: R[] = [];
  for (let start = 0; start < things.length; start += size) {
    for (const result of await work(things.slice(start, start + size))) results.push(result);
    if (turns.isOver) await turns.next();
  }
  return results;
}
