// Unified diffs of two texts: the lines that differ, with three lines of context. The algorithm is that of Python's difflib (Ratcliff and
// Obershelp), because the lines it picks are those that kube-apiserver shows in validation errors.

const context = 3;
/** In texts of this many lines, lines that occur in more than one of a hundred places do not anchor a match. */
const longText = 200;

/** Lines of `a` from `a` on that are lines of `b` from `b` on. */
interface Match {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

interface Change {
  readonly same: boolean;
  readonly a: readonly [from: number, to: number];
  readonly b: readonly [from: number, to: number];
}

/** The hunks of a unified diff of two lists of lines, without file names; empty when the lists are equal. */
export function unifiedDiff(before: readonly string[], after: readonly string[]): string {
  return hunksOf(changesOf(matchesOf(before, after), before.length, after.length))
    .map((hunk) => hunkText(hunk, before, after))
    .join("");
}

function matchesOf(a: readonly string[], b: readonly string[]): Match[] {
  const places = placesOf(b);
  const found: Match[] = [];
  const queue: [number, number, number, number][] = [[0, a.length, 0, b.length]];
  for (let range = queue.pop(); range; range = queue.pop()) {
    const [aLow, aHigh, bLow, bHigh] = range;
    const match = longest(a, b, places, aLow, aHigh, bLow, bHigh);
    if (match.size === 0) continue;
    found.push(match);
    queue.push([aLow, match.a, bLow, match.b], [match.a + match.size, aHigh, match.b + match.size, bHigh]);
  }
  return found.sort((one, other) => one.a - other.a);
}

function placesOf(b: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  b.forEach((line, index) => {
    const known = places.get(line);
    if (known) known.push(index);
    else places.set(line, [index]);
  });
  if (b.length < longText) return places;
  const common = Math.floor(b.length / 100) + 1;
  return new Map([...places].filter(([, indexes]) => indexes.length <= common));
}

function longest(
  a: readonly string[],
  b: readonly string[],
  places: ReadonlyMap<string, readonly number[]>,
  aLow: number,
  aHigh: number,
  bLow: number,
  bHigh: number,
): Match {
  let best: Match = { a: aLow, b: bLow, size: 0 };
  let lengths = new Map<number, number>();
  for (let i = aLow; i < aHigh; i++) {
    const next = new Map<number, number>();
    for (const j of places.get(a[i] ?? "") ?? []) {
      if (j < bLow || j >= bHigh) continue;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
    }
    lengths = next;
  }
  let { a: i, b: j, size } = best;
  while (i > aLow && j > bLow && a[i - 1] === b[j - 1]) [i, j, size] = [i - 1, j - 1, size + 1];
  while (i + size < aHigh && j + size < bHigh && a[i + size] === b[j + size]) size++;
  return { a: i, b: j, size };
}

function changesOf(matches: readonly Match[], aLength: number, bLength: number): Change[] {
  const changes: Change[] = [];
  let [i, j] = [0, 0];
  for (const { a, b, size } of [...matches, { a: aLength, b: bLength, size: 0 }]) {
    if (i < a || j < b) changes.push({ same: false, a: [i, a], b: [j, b] });
    [i, j] = [a + size, b + size];
    const last = changes.at(-1);
    if (size === 0) continue;
    if (last?.same) changes[changes.length - 1] = { same: true, a: [last.a[0], i], b: [last.b[0], j] };
    else changes.push({ same: true, a: [a, i], b: [b, j] });
  }
  return changes;
}

/** Changes with what surrounds them; those far from each other in hunks of their own. */
function hunksOf(changes: readonly Change[]): Change[][] {
  const hunks: Change[][] = [];
  let hunk: Change[] = [];
  changes.forEach((change, index) => {
    if (!change.same) {
      hunk.push(change);
      return;
    }
    const isFirst = index === 0;
    const isLast = index === changes.length - 1;
    if (isFirst) hunk.push(tail(change));
    else if (isLast) hunk.push(head(change));
    else if (change.a[1] - change.a[0] <= 2 * context) hunk.push(change);
    else {
      hunks.push([...hunk, head(change)]);
      hunk = [tail(change)];
    }
  });
  hunks.push(hunk);
  return hunks.filter((parts) => parts.some(({ same }) => !same));
}

const head = ({ a, b }: Change): Change => ({
  same: true,
  a: [a[0], Math.min(a[1], a[0] + context)],
  b: [b[0], Math.min(b[1], b[0] + context)],
});
const tail = ({ a, b }: Change): Change => ({
  same: true,
  a: [Math.max(a[0], a[1] - context), a[1]],
  b: [Math.max(b[0], b[1] - context), b[1]],
});

function hunkText(hunk: readonly Change[], a: readonly string[], b: readonly string[]): string {
  const [first] = hunk;
  const last = hunk.at(-1);
  if (!first || !last) return "";
  const lines = hunk.flatMap((change) =>
    change.same
      ? a.slice(...change.a).map((line) => ` ${line}`)
      : [
          ...a.slice(...change.a).map((line) => `-${line}`),
          ...b.slice(...change.b).map((line) => `+${line}`),
        ],
  );
  const header = `@@ -${range(first.a[0], last.a[1])} +${range(first.b[0], last.b[1])} @@`;
  return [header, ...lines].map((line) => `${line}\n`).join("");
}

function range(from: number, to: number): string {
  const length = to - from;
  if (length === 1) return String(from + 1);
  return `${length === 0 ? from : from + 1},${length}`;
}
