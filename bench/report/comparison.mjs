// Results of several programs side by side: medians, their spread, and how ours compares with each of the others.

/**
 * One line for each row: what it measures, and for each program the median and the extremes of its rounds. A row is a title, a function that
 * reads the figure from a result, its unit, and `{ better: "more" }` where larger is better; an aim is a bound, or a ratio to client-node.
 */
export function compare(rows, results) {
  return rows.map(([title, read, unit, { better = "less", ...aim } = {}]) => {
    const values = {};
    for (const [name, rounds] of Object.entries(results)) {
      const figures = rounds.map(read).filter((figure) => figure !== undefined);
      if (figures.length > 0)
        values[name] = { median: median(figures), least: Math.min(...figures), most: Math.max(...figures) };
    }
    return { title, unit, better, aim, values };
  });
}

/** How ours compares with another program's: below 1 where ours is better, whatever the row measures. */
export function ratioTo(peer, { better, values }, ours = "kubewright") {
  const [one, other] = [values[ours]?.median, values[peer]?.median];
  if (!one || !other) return undefined;
  return better === "less" ? one / other : other / one;
}

export function printComparison(comparison, names, titles = {}) {
  const head = names.map((name) => (titles[name] ?? name).padStart(15)).join("");
  console.log(`${"".padEnd(46)}${head}     ratio   aim`);
  for (const row of comparison) {
    const cells = names.map((name) => shown(row.values[name]?.median, row.unit).padStart(15)).join("");
    const ratio = ratioTo("client-node", row);
    console.log(
      `${row.title.padEnd(46)}${cells}${(ratio?.toFixed(2) ?? "-").padStart(10)}   ${judged(row, ratio)}`,
    );
  }
}

function judged({ aim, values }, ratio) {
  const ours = values.kubewright?.median;
  if (ours === undefined) return "";
  const [text, isMet] =
    aim.ratio !== undefined
      ? [`ratio ≤ ${aim.ratio}`, ratio === undefined ? undefined : ratio <= aim.ratio]
      : aim.most !== undefined
        ? [`≤ ${aim.most}`, ours <= aim.most]
        : aim.least !== undefined
          ? [`≥ ${aim.least.toLocaleString("en")}`, ours >= aim.least]
          : ["", undefined];
  return isMet === undefined ? text : `${text} ${isMet ? "met" : "NOT MET"}`;
}

export function shown(value, unit) {
  if (value === undefined) return "-";
  const text = value >= 1000 ? Math.round(value).toLocaleString("en") : value.toFixed(value < 10 ? 2 : 1);
  return `${text} ${unit}`;
}

export function median(values) {
  return quantile(values, 0.5);
}

export function quantile(values, share) {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
