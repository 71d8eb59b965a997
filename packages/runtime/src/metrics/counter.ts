// A counter: a value that only grows.
import { Labelled } from "./labelled.js";
import type { MetricFamily, MetricOptions, Sample } from "./metric-family.js";

/** One counted value. */
export class CounterValue {
  #value = 0;

  get value(): number {
    return this.#value;
  }

  inc(by = 1): void {
    if (by < 0) throw new RangeError("counters only grow");
    this.#value += by;
  }
}

/**
 * A counter; its name ends with `_total`.
 *
 * @example
 * const repaired = new Counter({ name: "shop_repaired_total", help: "Shops repaired", labels: ["region"] });
 * defineManager({ name: "shop", controllers, metrics: [repaired] });
 * repaired.labels("north").inc();
 */
export class Counter implements MetricFamily {
  readonly type = "counter";
  readonly name: string;
  readonly help: string;
  readonly #values: Labelled<CounterValue>;

  constructor(options: MetricOptions) {
    this.name = options.name;
    this.help = options.help;
    this.#values = new Labelled(options, this.type, () => new CounterValue());
  }

  /** The value of these labels, in the order they were declared. */
  labels(...values: string[]): CounterValue {
    return this.#values.of(values);
  }

  /** For a counter without labels. */
  inc(by = 1): void {
    this.#values.of([]).inc(by);
  }

  *samples(): Iterable<Sample> {
    for (const { labels, value } of this.#values.entries()) yield { labels, value: value.value };
  }
}
