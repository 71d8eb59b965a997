// When the garbage collector stopped the thread, and for how long.
import { type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";

interface Pause {
  readonly begin: number;
  readonly end: number;
}

/** Pauses before the last so many are forgotten. */
const remembered = 2_000;

/** Remembers the latest pauses. */
export class GarbageWatch {
  readonly #observer = new PerformanceObserver((list) => this.#add(list.getEntries()));
  #pauses: Pause[] = [];
  count = 0;
  /** Milliseconds. */
  longest = 0;
  total = 0;

  start(): void {
    this.#observer.observe({ entryTypes: ["gc"] });
  }

  stop(): void {
    this.#observer.disconnect();
  }

  /** Milliseconds of a time that has passed. */
  async between(begin: number, end: number): Promise<number> {
    // Pauses are told of in the rounds that follow them.
    for (let round = 0; round < 3; round++) await new Promise((resolve) => setImmediate(resolve));
    this.#add(this.#observer.takeRecords());
    let sum = 0;
    for (const pause of this.#pauses)
      sum += Math.max(0, Math.min(end, pause.end) - Math.max(begin, pause.begin));
    return sum;
  }

  #add(entries: readonly PerformanceEntry[]): void {
    for (const { startTime, duration } of entries) {
      this.#pauses.push({ begin: startTime, end: startTime + duration });
      this.count++;
      this.total += duration;
      this.longest = Math.max(this.longest, duration);
    }
    if (this.#pauses.length > 2 * remembered) this.#pauses = this.#pauses.slice(-remembered);
  }
}
