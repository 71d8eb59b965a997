// Durations in buckets, as Prometheus counts them.
import type { Sample } from "./exposition.js";

export class Histogram {
  readonly #bounds: readonly number[];
  /** Per bound, not yet cumulated; the last is for all that took longer. */
  readonly #buckets: number[];
  #sum = 0;
  #count = 0;

  /** Upper bounds, rising. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#buckets = new Array<number>(bounds.length + 1).fill(0);
  }

  get count(): number {
    return this.#count;
  }

  observe(value: number, times = 1): void {
    let index = 0;
    while (index < this.#bounds.length && value > (this.#bounds[index] ?? 0)) index++;
    this.#buckets[index] = (this.#buckets[index] ?? 0) + times;
    this.#sum += value * times;
    this.#count += times;
  }

  /** Nothing where nothing was observed. */
  *samples(labels: string): Iterable<Sample> {
    if (this.#count === 0) return;
    const prefix = labels === "" ? "" : `${labels},`;
    let total = 0;
    for (const [index, bound] of this.#bounds.entries()) {
      total += this.#buckets[index] ?? 0;
      yield [`${prefix}le="${bound}"`, total, "_bucket"];
    }
    yield [`${prefix}le="+Inf"`, this.#count, "_bucket"];
    yield [labels, this.#sum, "_sum"];
    yield [labels, this.#count, "_count"];
  }
}
