// Takes the last run of a benchmark as the one to publish: its figures go into bench/recorded, its table into bench/README.md, and its plot into
// docs/images. Run it on a machine that does nothing else: node bench/report/record.mjs informer
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ratioTo, shown } from "./comparison.mjs";
import { plotComparison } from "./plot.mjs";
import { lastResults, recordResults } from "./results.mjs";

const root = join(import.meta.dirname, "../..");
const readme = join(root, "bench/README.md");

for (const name of process.argv.slice(2)) {
  const results = lastResults(name);
  if (!results) throw new Error(`there is no result of ${name}: npm run bench ${name} makes one`);
  recordResults(name, results);
  writeFileSync(join(root, `docs/images/bench-${name}.svg`), plotComparison(results));
  replaceSection(name, table(results));
  console.log(`${name}: recorded`);
}

function table({ title, comparison, names, date, node, processor, cores, memory }) {
  const peers = names.filter((name) => name !== "kubewright");
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const rows = comparison.map((row) =>
    line([
      row.title,
      ...["kubewright", ...peers].map((name) => cell(row.values[name], row.unit)),
      ...peers.map((peer) => ratioTo(peer, row)?.toFixed(2) ?? "-"),
    ]),
  );
  return [
    `${title} ${date}, Node.js ${node}, ${cores} × ${processor}, ${memory}. Medians, and the extremes of all rounds in brackets; a ratio below 1 means that ours is better.`,
    "",
    line(["", "kubewright", ...peers, ...peers.map((peer) => `ratio to ${peer}`)]),
    line(["---", ...names, ...peers].map(() => "---")),
    ...rows,
  ].join("\n");
}

function cell(value, unit) {
  if (!value) return "-";
  const bare = (figure) => shown(figure, "").trim();
  return `${shown(value.median, unit)} (${bare(value.least)}–${bare(value.most)})`;
}

/** The part of the page between the marks of this benchmark. */
function replaceSection(name, text) {
  const page = readFileSync(readme, "utf8");
  const [start, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`bench/README.md has no ${start} … ${end}`);
  writeFileSync(readme, `${page.slice(0, from + start.length)}\n${text}\n${page.slice(to)}`);
}
