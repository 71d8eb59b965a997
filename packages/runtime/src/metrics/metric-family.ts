// A metric family: a name, and the values under it, computed at each scrape.

/** The type of a metric. */
export type MetricType = "counter" | "gauge" | "histogram";

/** One value of a family. */
export interface Sample {
  /** Appended to the family's name; nothing for counters and gauges. */
  readonly suffix?: string | undefined;
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly value: number;
}

/** Values under one name. Implement it to report values that are kept elsewhere; `Counter`, `Gauge` and `Histogram` keep their own. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: MetricType;
  samples(): Iterable<Sample>;
}

/** The name and the labels of a metric. */
export interface MetricOptions {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[] | undefined;
}

/** A gauge whose values are worked out when somebody looks. */
export function collected(
  { name, help, labels = [] }: MetricOptions,
  type: "counter" | "gauge",
  values: () => Iterable<{ readonly labels?: readonly string[]; readonly value: number }>,
): MetricFamily {
  checkNames(name, labels, type);
  return {
    name,
    help,
    type,
    *samples() {
      for (const { labels: given = [], value } of values()) yield { labels: paired(labels, given), value };
    },
  };
}

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const labelName = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/;

/** Throws for names that no scraper would accept. */
export function checkNames(name: string, labels: readonly string[], type: MetricType): void {
  if (!metricName.test(name)) throw new TypeError(`"${name}" is no name for a metric`);
  if (type === "counter" && !name.endsWith("_total"))
    throw new TypeError(`the name of the counter ${name} must end with "_total"`);
  for (const label of labels)
    if (!labelName.test(label) || (type === "histogram" && label === "le"))
      throw new TypeError(`"${label}" is no name for a label of ${name}`);
}

/** Label names with their values. */
export function paired(names: readonly string[], values: readonly string[]): Sample["labels"] {
  return names.map((name, index) => [name, values[index] ?? ""] as const);
}
