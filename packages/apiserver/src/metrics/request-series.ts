// What is counted of requests that are alike.
import type { Sample } from "./exposition.js";
import { Histogram } from "./histogram.js";

/** Upper bounds in seconds, those of the real server. */
const bounds = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];

export class RequestSeries {
  readonly #labels: string;
  readonly #codes = new Map<number, number>();
  readonly #durations = new Histogram(bounds);
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
    this.#durations.observe(seconds);
  }

  *counts(): Iterable<Sample> {
    for (const [code, count] of this.#codes) yield [`code="${code}",${this.#labels}`, count];
  }

  durations(): Iterable<Sample> {
    return this.#durations.samples(this.#labels);
  }
}
