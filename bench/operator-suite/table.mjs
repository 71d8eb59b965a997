// Results side by side, as medians and ratios.

/** One line for each row; the ratio is of the first column to client-node's, where both are there. */
export function printTable(rows, results, titles = {}) {
  const names = Object.keys(results);
  const head = names.map((name) => (titles[name] ?? name).padStart(15)).join("");
  console.log(`${"".padEnd(46)}${head}     ratio   aim`);
  for (const [title, read, unit, aim] of rows) {
    const values = Object.fromEntries(names.map((name) => [name, medianOf(results[name], read)]));
    const cells = names.map((name) => shown(values[name], unit).padStart(15)).join("");
    const ours = values[names[0]];
    const ratio = values["client-node"] && ours !== undefined ? ours / values["client-node"] : undefined;
    console.log(
      `${title.padEnd(46)}${cells}${(ratio?.toFixed(2) ?? "-").padStart(10)}   ${judged(aim, ours, ratio)}`,
    );
  }
}

function judged(aim, ours, ratio) {
  if (!aim || ours === undefined) return "";
  const [text, isMet] =
    aim.ratio !== undefined
      ? [`ratio ≤ ${aim.ratio}`, ratio === undefined ? undefined : ratio <= aim.ratio]
      : aim.most !== undefined
        ? [`≤ ${aim.most}`, ours <= aim.most]
        : [`≥ ${aim.least.toLocaleString("en")}`, ours >= aim.least];
  return isMet === undefined ? text : `${text} ${isMet ? "met" : "NOT MET"}`;
}

function shown(value, unit) {
  if (value === undefined) return "-";
  const text = value >= 1000 ? Math.round(value).toLocaleString("en") : value.toFixed(value < 10 ? 2 : 1);
  return `${text} ${unit}`;
}

function medianOf(results, read) {
  const values = results.map(read).filter((value) => value !== undefined);
  return values.length === 0 ? undefined : median(values);
}

export function median(values) {
  return quantile(values, 0.5);
}

export function quantile(values, share) {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
