// The difference of two texts, line by line, in the form that `diff -u` and git have made everybody's.

interface Line {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

const context = 3;
/** Beyond that, comparing each line with each takes too long, and nobody would read it. */
const mostCells = 4_000_000;

/** Hunks with a few lines around what differs; "" where nothing does. */
export function lineDiff(before: string, after: string): string {
  const lines = compared(linesOf(before), linesOf(after));
  const shown = lines.map((_, at) =>
    lines.slice(Math.max(0, at - context), at + context + 1).some(({ mark }) => mark !== " "),
  );
  const out: string[] = [];
  let [old, now] = [1, 1];
  for (const [at, { mark, text }] of lines.entries()) {
    if (shown[at] && !shown[at - 1]) out.push(`@@ -${old} +${now} @@`);
    if (shown[at]) out.push(mark + text);
    if (mark !== "+") old++;
    if (mark !== "-") now++;
  }
  return out.join("\n");
}

const linesOf = (text: string): readonly string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

/** The longest common subsequence, from a table of its lengths. */
function compared(before: readonly string[], after: readonly string[]): readonly Line[] {
  const width = after.length + 1;
  if (width * (before.length + 1) > mostCells)
    return [
      ...before.map((text): Line => ({ mark: "-", text })),
      ...after.map((text): Line => ({ mark: "+", text })),
    ];
  const lengths = new Uint32Array(width * (before.length + 1));
  const length = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        before[i] === after[j] ? length(i + 1, j + 1) + 1 : Math.max(length(i + 1, j), length(i, j + 1));
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [old, now] = [before[i], after[j]];
    if (old !== undefined && old === now) {
      lines.push({ mark: " ", text: old });
      i++;
      j++;
    } else if (now === undefined || (old !== undefined && length(i + 1, j) >= length(i, j + 1))) {
      lines.push({ mark: "-", text: old ?? "" });
      i++;
    } else {
      lines.push({ mark: "+", text: now });
      j++;
    }
  }
  return lines;
}
