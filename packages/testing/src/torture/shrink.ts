// Makes a failing run as short as it can be: takes parts away as long as the same is found without them, then makes the times of what is left
// shorter. Each attempt is a run, so their number is limited.

/** The times in the parts of a run, in milliseconds. */
export interface Times<T> {
  readonly least: number;
  /** Undefined where a part has none. */
  read(part: T): number | undefined;
  write(part: T, milliseconds: number): T;
}

export async function shrink<T>(
  parts: readonly T[],
  times: Times<T>,
  isFound: (fewer: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  const fewest = await removeParts(parts, isFound);
  return shortenTimes(fewest, times, isFound);
}

/** Halves first, then smaller and smaller pieces; then single ones, until none of them can be spared. */
async function removeParts<T>(
  parts: readonly T[],
  isFound: (fewer: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let shortest = parts;
  for (let size = Math.ceil(parts.length / 2); size >= 1; ) {
    const fewer = await removePieces(shortest, size, isFound);
    const isShorter = fewer.length < shortest.length;
    shortest = fewer;
    if (size > 1) size = Math.floor(size / 2);
    else if (!isShorter) break;
  }
  return shortest;
}

/** Each piece of that size once; at least one part is left. */
async function removePieces<T>(
  parts: readonly T[],
  size: number,
  isFound: (fewer: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let shortest = parts;
  for (let start = 0; start < shortest.length && shortest.length > 1; ) {
    const fewer = shortest.toSpliced(start, size);
    if (fewer.length > 0 && (await isFound(fewer))) shortest = fewer;
    else start += size;
  }
  return shortest;
}

/** For each part: the least time, or half of its time as long as the same is found. */
async function shortenTimes<T>(
  parts: readonly T[],
  { least, read, write }: Times<T>,
  isFound: (shorter: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let shortest = parts;
  for (const [index, part] of parts.entries()) {
    const time = read(part) ?? least;
    for (const candidate of candidatesFor(time, least)) {
      const shorter = shortest.with(index, write(part, candidate));
      const isShorter = await isFound(shorter);
      if (isShorter) shortest = shorter;
      if (isShorter === (candidate === least)) break;
    }
  }
  return shortest;
}

/** 1000 → 1, 500, 250, 125, …, 3. */
function candidatesFor(time: number, least: number): readonly number[] {
  if (time <= least) return [];
  const halves: number[] = [];
  for (let half = Math.floor(time / 2); half > least; half = Math.floor(half / 2)) halves.push(half);
  return [least, ...halves];
}
