// Time slices: all requests share one thread, so work that can be long (lists, tables, large answers, deleted collections)
// yields to the event loop at its seams. However much of it there is, it takes one slice in each round of the event loop.

/** Milliseconds that long work may run before it yields. */
export const timeSliceMs = 5;

/** Work that has yielded, first come first served. Of the module, because a process has one event loop. */
const yielded: (() => void)[] = [];

/** Resolves after the event loop has served I/O and timers that are due, and work that yielded before has had a slice. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    yielded.push(resolve);
    if (yielded.length === 1) setImmediate(resumeFirst);
  });
}

function resumeFirst(): void {
  yielded.shift()?.();
  if (yielded.length > 0) setImmediate(resumeFirst);
}

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
