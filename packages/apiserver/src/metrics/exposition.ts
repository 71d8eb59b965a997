// Prometheus' text format, version 0.0.4.

/** The content type scrapers expect. */
export const expositionType = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";

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

/** Samples in one piece of text. */
const pieceSize = 500;

/** A metric with all its samples; nothing when there are none. */
export function metricText(name: string, type: MetricType, help: string, samples: Iterable<Sample>): string {
  return [...metricPieces(name, type, help, samples)].join("");
}

/** The same in pieces, of which none takes long to make. */
export function* metricPieces(
  name: string,
  type: MetricType,
  help: string,
  samples: Iterable<Sample>,
): Iterable<string> {
  const head = `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
  let text = "";
  let count = 0;
  for (const [labels, value, suffix = ""] of samples) {
    if (count++ === 0) text = head;
    text += `${name}${suffix}${labels === "" ? "" : `{${labels}}`} ${value}\n`;
    if (count % pieceSize > 0) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}
