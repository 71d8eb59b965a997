// Numbers by labels.
import { labelText, type MetricType, metricPieces, metricText, type Sample } from "./exposition.js";
import { Histogram } from "./histogram.js";

type Labels = Readonly<Record<string, string>>;

/** A counter, or a gauge, for each combination of labels. */
export class LabelledCounter {
  readonly #name: string;
  readonly #help: string;
  readonly #counts = new Map<string, number>();

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  add(labels: Labels, amount = 1): void {
    const key = labelText(labels);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + amount);
  }

  text(type: MetricType = "counter"): string {
    return metricText(this.#name, type, this.#help, this.#counts);
  }

  /** In Prometheus' format, in pieces of which none takes long to make. */
  pieces(): Iterable<string> {
    return metricPieces(this.#name, "counter", this.#help, this.#counts);
  }
}

/** A histogram for each combination of labels. */
export class LabelledHistogram {
  readonly #name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, Histogram>();

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.#name = name;
    this.#help = help;
    this.#bounds = bounds;
  }

  delete(labels: Labels): void {
    this.#series.delete(labelText(labels));
  }

  /** The histogram of these labels. Callers that observe often keep it. */
  of(labels: Labels): Histogram {
    const key = labelText(labels);
    let series = this.#series.get(key);
    if (!series) {
      series = new Histogram(this.#bounds);
      this.#series.set(key, series);
    }
    return series;
  }

  /** In Prometheus' format, in pieces of which none takes long to make. */
  pieces(): Iterable<string> {
    return metricPieces(this.#name, "histogram", this.#help, this.#samples());
  }

  *#samples(): Iterable<Sample> {
    for (const [labels, series] of this.#series) yield* series.samples(labels);
  }
}
