// What somebody probably meant: the known word with the fewest letters different.

/** The candidate nearest to a word, if one is near enough to be what was meant. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const limit = Math.max(1, Math.floor(Math.min(word.length, 40) / 3));
  let best: string | undefined;
  let least = limit + 1;
  for (const candidate of candidates) {
    const distance = word.length > 40 ? least : editDistance(word, candidate);
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** `; did you mean X?`, or nothing. */
export function suggestion(word: string, candidates: Iterable<string>, prefix = ""): string {
  const found = nearest(word, candidates);
  return found === undefined ? "" : `; did you mean ${prefix}${found}?`;
}

/** How many letters must be added, removed, changed or swapped with their neighbour. */
export function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const changed = (last[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
          ? (beforeLast[j - 2] ?? 0) + 1
          : Number.POSITIVE_INFINITY;
      row.push(Math.min(changed, swapped, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    [beforeLast, last] = [last, row];
  }
  return last[to.length] ?? 0;
}
