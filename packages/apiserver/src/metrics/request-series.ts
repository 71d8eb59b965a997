// What is counted of requests that are alike.
import type { Sample } from "./exposition.js";

/** Upper bounds in seconds, those of the real server. */
const bounds = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];

export class RequestSeries {
  readonly #labels: string;
  readonly #codes = new Map<number, number>();
  /** Per bound, not yet cumulated; the last is for all that took longer. */
  readonly #buckets = new Array<number>(bounds.length + 1).fill(0);
  #sum = 0;
  #count = 0;
  /** Watches and the like that are open now. */
  open = 0;

  constructor(labels: string) {
    this.#labels = labels;
  }

  get labels(): string {
    return this.#labels;
  }

  count(code: number): void {
    this.#codes.set(code, (this.#codes.get(code) ?? 0) + 1);
  }

  observe(seconds: number): void {
    let index = 0;
    while (index < bounds.length && seconds > (bounds[index] ?? 0)) index++;
    this.#buckets[index] = (this.#buckets[index] ?? 0) + 1;
    this.#sum += seconds;
    this.#count++;
  }

  *counts(): Iterable<Sample> {
    for (const [code, count] of this.#codes) yield [`code="${code}",${this.#labels}`, count];
  }

  *durations(): Iterable<Sample> {
    if (this.#count === 0) return;
    let total = 0;
    for (const [index, bound] of bounds.entries()) {
      total += this.#buckets[index] ?? 0;
      yield [`${this.#labels},le="${bound}"`, total, "_bucket"];
    }
    yield [`${this.#labels},le="+Inf"`, this.#count, "_bucket"];
    yield [this.#labels, this.#sum, "_sum"];
    yield [this.#labels, this.#count, "_count"];
  }
}
