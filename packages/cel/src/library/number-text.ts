// Doubles as Go reads them.

/** As `strconv.ParseFloat` reads, or undefined when it is no number. */
export function parseDouble(text: string): number | undefined {
  if (text.length > 1000) return undefined;
  const named = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (named !== null) {
    if (named[2]?.toLowerCase() === "nan") return Number.NaN;
    return named[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)) return undefined;
  const value = Number(text);
  // Go refuses what is too large for a double.
  return Number.isFinite(value) ? value : undefined;
}
