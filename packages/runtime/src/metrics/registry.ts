// The metrics registry of a manager. Each manager has its own: two in one process share no values.
import type { MetricFamily } from "./metric-family.js";
import { formatMetrics, type MetricsFormat } from "./text-format.js";

/**
 * A set of metrics under distinct names.
 *
 * @example
 * const registry = new MetricsRegistry();
 * const repaired = registry.register(new Counter({ name: "shop_repaired_total", help: "Shops repaired" }));
 */
export class MetricsRegistry {
  readonly #families = new Map<string, MetricFamily>();

  /** Adds a metric; throws when another has its name. Returns it. */
  register<Family extends MetricFamily>(family: Family): Family {
    const known = this.#families.get(family.name);
    if (known && known !== family) throw new Error(`there is a metric named ${family.name} already`);
    this.#families.set(family.name, family);
    return family;
  }

  get(name: string): MetricFamily | undefined {
    return this.#families.get(name);
  }

  /** All metrics, as text. A metric that fails is left out and reported to `onError`. */
  format(format: MetricsFormat = "prometheus", onError: (error: unknown) => void = () => undefined): string {
    const families = [...this.#families.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
    const sound: MetricFamily[] = [];
    for (const family of families) {
      try {
        const samples = [...family.samples()];
        sound.push({ name: family.name, help: family.help, type: family.type, samples: () => samples });
      } catch (error) {
        onError(error);
      }
    }
    return formatMetrics(sound, format);
  }
}
