// The values of a metric by their labels. Callers that count often ask for a value once and keep it.
import { checkNames, type MetricOptions, type MetricType, paired, type Sample } from "./metric-family.js";

export class Labelled<Value> {
  readonly #names: readonly string[];
  readonly #metric: string;
  readonly #create: () => Value;
  readonly #values = new Map<string, { readonly labels: Sample["labels"]; readonly value: Value }>();

  constructor({ name, labels = [] }: MetricOptions, type: MetricType, create: () => Value) {
    checkNames(name, labels, type);
    this.#names = labels;
    this.#metric = name;
    this.#create = create;
    // A metric without labels is there from the beginning, so that its first rise is seen.
    if (labels.length === 0) this.of([]);
  }

  of(values: readonly string[]): Value {
    const id = values.length === 1 ? (values[0] ?? "") : JSON.stringify(values);
    let entry = this.#values.get(id);
    if (!entry) {
      if (values.length !== this.#names.length)
        throw new TypeError(`${this.#metric} has the labels ${this.#names.join(", ") || "(none)"}`);
      entry = { labels: paired(this.#names, values), value: this.#create() };
      this.#values.set(id, entry);
    }
    return entry.value;
  }

  entries(): Iterable<{ readonly labels: Sample["labels"]; readonly value: Value }> {
    return this.#values.values();
  }

  /** Forgets the value of these labels. */
  delete(values: readonly string[]): void {
    this.#values.delete(values.length === 1 ? (values[0] ?? "") : JSON.stringify(values));
  }
}
