// Sets of completion indexes as Jobs write them: `0-2,5`.

/** Reads `0-2,5`. */
export function parseIndexes(text: string | undefined): Set<number> {
  const found = new Set<number>();
  for (const part of (text ?? "").split(",").filter(Boolean)) {
    const [first = 0, last = first] = part.split("-").map(Number);
    for (let index = first; index <= last; index++) found.add(index);
  }
  return found;
}

/** Writes `0-2,5`; two in a row are not yet a range. */
export function formatIndexes(indexes: Iterable<number>): string {
  const ranges: [number, number][] = [];
  for (const index of [...indexes].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && last[1] === index - 1) last[1] = index;
    else ranges.push([index, index]);
  }
  return ranges.map(([first, last]) => rangeText(first, last)).join(",");
}

function rangeText(first: number, last: number): string {
  if (first === last) return `${first}`;
  return last === first + 1 ? `${first},${last}` : `${first}-${last}`;
}
