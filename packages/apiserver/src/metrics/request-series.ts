// The metric series of requests with the same labels.
import type { Sample } from "./exposition.js";
import { Histogram } from "./histogram.js";

/** Upper bounds in seconds, those of kube-apiserver. */
const sliBounds = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
const bounds = [0.005, 0.025, ...sliBounds];

/** Upper bounds in bytes. */
const sizeBounds = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

/** The series that do not distinguish dry runs. */
export class CommonSeries {
  readonly labels: string;
  /** Seconds without the time that others took, for service levels. */
  readonly durations = new Histogram(sliBounds);
  /** Bytes of responses to reads. */
  readonly sizes = new Histogram(sizeBounds);
  /** Watches and the like that are open now. */
  open = 0;

  constructor(labels: string) {
    this.labels = labels;
  }
}

export class RequestSeries {
  readonly labels: string;
  readonly common: CommonSeries;
  /** Bytes of the bodies of requests; shared by all that write a resource in one way. */
  readonly bodies: Histogram | undefined;
  readonly #codes = new Map<number, number>();
  readonly #durations = new Histogram(bounds);

  constructor(labels: string, common: CommonSeries, bodies?: Histogram) {
    this.labels = labels;
    this.common = common;
    this.bodies = bodies;
  }

  count(code: number): void {
    this.#codes.set(code, (this.#codes.get(code) ?? 0) + 1);
  }

  /** How long one took, and how much of that others took. */
  observe(seconds: number, outside: number): void {
    this.#durations.observe(seconds);
    this.common.durations.observe(seconds - outside);
  }

  *counts(): Iterable<Sample> {
    for (const [code, count] of this.#codes) yield [`code="${code}",${this.labels}`, count];
  }

  durations(): Iterable<Sample> {
    return this.#durations.samples(this.labels);
  }
}
