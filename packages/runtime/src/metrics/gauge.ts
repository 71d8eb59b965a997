// A gauge: a value that goes up and down.
import { Labelled } from "./labelled.js";
import type { MetricFamily, MetricOptions, Sample } from "./metric-family.js";

/** One measured value. */
export class GaugeValue {
  value = 0;

  set(value: number): void {
    this.value = value;
  }

  add(by: number): void {
    this.value += by;
  }
}

/** A gauge. For what is known elsewhere, `collected` asks only when somebody looks. */
export class Gauge implements MetricFamily {
  readonly type = "gauge";
  readonly name: string;
  readonly help: string;
  readonly #values: Labelled<GaugeValue>;

  constructor(options: MetricOptions) {
    this.name = options.name;
    this.help = options.help;
    this.#values = new Labelled(options, this.type, () => new GaugeValue());
  }

  /** The value of these labels, in the order they were declared. */
  labels(...values: string[]): GaugeValue {
    return this.#values.of(values);
  }

  /** For a gauge without labels. */
  set(value: number): void {
    this.#values.of([]).set(value);
  }

  /** Forgets the value of these labels. */
  delete(...values: string[]): void {
    this.#values.delete(values);
  }

  *samples(): Iterable<Sample> {
    for (const { labels, value } of this.#values.entries()) yield { labels, value: value.value };
  }
}
