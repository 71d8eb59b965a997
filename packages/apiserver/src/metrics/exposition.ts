// Prometheus' text format, version 0.0.4.

/** The content type scrapers expect. */
export const expositionType = "text/plain; version=0.0.4; charset=utf-8";

export type MetricType = "counter" | "gauge" | "histogram";

/** One sample: labels as they are printed, without braces. */
export type Sample = readonly [labels: string, value: number, suffix?: string];

/** `verb="GET",code="200"` */
export function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, escaped)}"`)
    .join(",");
}

const escaped = (character: string): string => (character === "\n" ? "\\n" : `\\${character}`);

/** A metric with all its samples; nothing when there are none. */
export function metricText(name: string, type: MetricType, help: string, samples: Iterable<Sample>): string {
  let text = "";
  for (const [labels, value, suffix = ""] of samples) {
    text += `${name}${suffix}${labels === "" ? "" : `{${labels}}`} ${value}\n`;
  }
  return text === "" ? "" : `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${text}`;
}
