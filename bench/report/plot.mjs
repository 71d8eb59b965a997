// Plots for the documentation: one SVG with a group of bars for each row, as multiples of ours.
import { ratioTo, shown } from "./comparison.mjs";

const width = 840;
const labelWidth = 380;
const barHeight = 16;
const gap = 18;
/** A bar as long as the plot is wide; longer ones are cut, and their figure says so. */
const longest = 6;

/** Bars of every program: shorter is better, and ours is 1. */
export function plotComparison({ comparison, title, names }) {
  const rows = comparison.filter((row) => names.some((name) => name !== "kubewright" && ratioTo(name, row)));
  const groupHeight = names.length * barHeight + gap;
  const height = 64 + rows.length * groupHeight;
  const groups = rows.map((row, index) => group(row, names, 52 + index * groupHeight));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeXml(title)}">
<style>text{font:12px system-ui,sans-serif;fill:#57606a}.title{font-weight:600;font-size:14px}.bar{fill:#afb8c1}.ours{fill:#2da44e}
@media (prefers-color-scheme:dark){text{fill:#c9d1d9}.bar{fill:#484f58}.ours{fill:#3fb950}}</style>
<text class="title" x="0" y="18">${escapeXml(title)}</text>
<text x="0" y="36">Shorter is better; ours is 1.</text>
${groups.join("\n")}
</svg>
`;
}

function group(row, names, top) {
  const bars = names.map((name, index) => {
    const value = row.values[name]?.median;
    const ratio = name === "kubewright" ? 1 : 1 / (ratioTo(name, row) ?? Number.NaN);
    const y = top + index * barHeight;
    const label = `<text x="${labelWidth - 90}" y="${y + 11}" text-anchor="start">${escapeXml(name)}</text>`;
    if (value === undefined || Number.isNaN(ratio))
      return `${label}<text x="${labelWidth + 12}" y="${y + 11}">-</text>`;
    const length = (Math.min(ratio, longest) / longest) * (width - labelWidth - 110);
    const bar = `<rect class="${name === "kubewright" ? "ours" : "bar"}" x="${labelWidth + 10}" y="${y}" width="${length.toFixed(1)}" height="${barHeight - 3}"/>`;
    const figure = `${shown(value, row.unit)}${ratio > longest ? ` (×${ratio.toFixed(0)})` : ""}`;
    return `${label}${bar}<text x="${(labelWidth + 15 + length).toFixed(1)}" y="${y + 11}">${escapeXml(figure)}</text>`;
  });
  return `<text x="0" y="${top + 11}">${escapeXml(row.title)}</text>${bars.join("")}`;
}

function escapeXml(text) {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
