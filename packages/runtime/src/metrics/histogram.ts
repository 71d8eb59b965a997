// Counts observations by size, in buckets with an upper bound each.
import { Labelled } from "./labelled.js";
import type { MetricFamily, MetricOptions, Sample } from "./metric-family.js";
import { formatBound } from "./text-format.js";

/** Options of a histogram. */
export interface HistogramOptions extends MetricOptions {
  /** Upper bounds, rising; the last one, infinity, need not be named. */
  readonly buckets?: readonly number[] | undefined;
}

/** Prometheus' own, for times in seconds. */
export const defaultBuckets: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Upper bounds that grow by a factor. */
export function exponentialBuckets(start: number, factor: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => Number((start * factor ** index).toPrecision(12)));
}

/** The observations of one set of labels. */
export class HistogramValue {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Array(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let index = 0;
    // Most observations are small, so that a search from below ends at once.
    while (index < bounds.length && value > (bounds[index] ?? 0)) index += 1;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#sum += value;
  }

  *samples(labels: Sample["labels"]): Iterable<Sample> {
    let total = 0;
    for (const [index, count] of this.#counts.entries()) {
      total += count;
      const bound = this.#bounds[index] ?? Number.POSITIVE_INFINITY;
      yield { suffix: "_bucket", labels: [...labels, ["le", formatBound(bound)]], value: total };
    }
    yield { suffix: "_sum", labels, value: this.#sum };
    yield { suffix: "_count", labels, value: total };
  }
}

/** A metric that counts observations in buckets. */
export class Histogram implements MetricFamily {
  readonly type = "histogram";
  readonly name: string;
  readonly help: string;
  readonly #values: Labelled<HistogramValue>;

  constructor(options: HistogramOptions) {
    const bounds = (options.buckets ?? defaultBuckets).filter((bound) => bound !== Number.POSITIVE_INFINITY);
    if (bounds.some((bound, index) => !(bound > (bounds[index - 1] ?? Number.NEGATIVE_INFINITY))))
      throw new TypeError(`the buckets of ${options.name} must rise`);
    this.name = options.name;
    this.help = options.help;
    this.#values = new Labelled(options, this.type, () => new HistogramValue(bounds));
  }

  /** The observations of these labels, in the order they were declared. */
  labels(...values: string[]): HistogramValue {
    return this.#values.of(values);
  }

  /** For a histogram without labels. */
  observe(value: number): void {
    this.#values.of([]).observe(value);
  }

  *samples(): Iterable<Sample> {
    for (const { labels, value } of this.#values.entries()) yield* value.samples(labels);
  }
}
