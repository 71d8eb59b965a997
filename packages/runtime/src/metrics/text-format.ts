// The two texts that scrapers read: Prometheus' own, and OpenMetrics.
import type { MetricFamily, Sample } from "./metric-family.js";

/** A text format of metrics. */
export type MetricsFormat = "prometheus" | "openmetrics";

/** The content type of the response to a scrape. */
export const contentTypes: Readonly<Record<MetricsFormat, string>> = {
  prometheus: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/** The format an `Accept` header asks for. */
export function formatFor(accept: string | undefined): MetricsFormat {
  const offers = (accept ?? "").split(",").map(parseOffer);
  const quality = (...types: readonly string[]): number =>
    Math.max(0, ...offers.filter(({ type }) => types.includes(type)).map((offer) => offer.quality));
  const openMetrics = quality("application/openmetrics-text");
  return openMetrics > 0 && openMetrics >= quality("text/plain") ? "openmetrics" : "prometheus";
}

function parseOffer(text: string): { readonly type: string; readonly quality: number } {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  return { type, quality: quality === undefined ? 1 : Number(quality) || 0 };
}

/** Writes families, by name. */
export function formatMetrics(families: Iterable<MetricFamily>, format: MetricsFormat): string {
  const parts: string[] = [];
  for (const family of families) writeFamily(parts, family, format);
  if (format === "openmetrics") parts.push("# EOF\n");
  return parts.join("");
}

function writeFamily(parts: string[], family: MetricFamily, format: MetricsFormat): void {
  const { name, help, type } = family;
  const isOpen = format === "openmetrics";
  const title = isOpen && type === "counter" ? name.slice(0, -"_total".length) : name;
  parts.push(`# HELP ${title} ${isOpen ? escapeLabel(help) : escapeHelp(help)}\n# TYPE ${title} ${type}\n`);
  for (const { suffix = "", labels, value } of family.samples())
    parts.push(`${name}${suffix}${formatLabels(labels)} ${formatNumber(value)}\n`);
}

function formatLabels(labels: Sample["labels"]): string {
  if (labels.length === 0) return "";
  return `{${labels.map(([name, value]) => `${name}="${escapeLabel(value)}"`).join(",")}}`;
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}

function formatNumber(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  if (value === Number.NEGATIVE_INFINITY) return "-Inf";
  return String(value);
}

/** The bound of a bucket, as Go writes it, so that series of either language are the same: `0.005`, `1`, `1e-08`, `+Inf`. */
export function formatBound(bound: number): string {
  const text = bound > 0 && bound < 1e-4 ? bound.toExponential() : formatNumber(bound);
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}
