// Time slices: all requests share one thread, so work that can be long (lists, tables, large answers, deleted collections)
// yields to the event loop at its seams.

/** Milliseconds that long work may run before it yields. */
export const timeSliceMs = 5;

/** Resolves after the event loop has served I/O and timers that are due. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The running time slice of one piece of work. */
export class TimeSlice {
  #since = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#since > timeSliceMs;
  }

  /** Yields and starts the next slice where this one is over. */
  async yieldIfOver(): Promise<void> {
    if (!this.isOver) return;
    await yieldToEventLoop();
    this.#since = performance.now();
  }
}
