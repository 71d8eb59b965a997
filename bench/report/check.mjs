// Whether the last run is as good as the recorded one: fails where a ratio to another program got worse by more than 15 %. Ratios, because
// machines differ; and even our best round must be that much worse, because rounds differ too. node bench/report/check.mjs [name…], after the benchmarks ran; `make bench-check` does both.
import { ratioTo, shown } from "./comparison.mjs";
import { lastResults, recordedResults } from "./results.mjs";

const tolerance = 1.15;
const names = process.argv.slice(2);
let worse = 0;

for (const name of names.length > 0 ? names : ["informer"]) {
  const [before, now] = [recordedResults(name), lastResults(name)];
  if (!before) throw new Error(`no figures of ${name} are recorded: node bench/report/record.mjs ${name}`);
  if (!now) throw new Error(`there is no result of ${name}: npm run bench ${name} makes one`);
  for (const row of before.comparison) worse += checkRow(name, row, now);
}
console.log(worse > 0 ? `${worse} ratios are worse than recorded` : "no ratio is worse than recorded");
process.exitCode = worse > 0 ? 1 : 0;

/** How many ratios of a row are worse. */
function checkRow(name, before, { comparison, names: measured }) {
  const now = comparison.find(({ title }) => title === before.title);
  if (!now) return 0;
  const peers = measured.filter((peer) => peer !== "kubewright");
  return peers.filter((peer) => {
    const [old, fresh] = [ratioTo(peer, before), ratioTo(peer, now)];
    const best = ratioTo(peer, withBestRound(now));
    if (old === undefined || fresh === undefined || best <= old * tolerance) return false;
    const [ours, theirs] = [now.values.kubewright, now.values[peer]].map((value) =>
      shown(value.median, now.unit),
    );
    console.log(
      `${name}: ${now.title}: ratio to ${peer} ${fresh.toFixed(2)}, recorded ${old.toFixed(2)} (${ours} against ${theirs})`,
    );
    return true;
  }).length;
}

/** The row as if our best round were the usual one. */
function withBestRound(row) {
  const ours = row.values.kubewright;
  const median = row.better === "less" ? ours.least : ours.most;
  return { ...row, values: { ...row.values, kubewright: { ...ours, median } } };
}
