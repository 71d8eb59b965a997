// Sets of indexes as jobs write them: `1,3-5,7`.

/** An interval of indexes, both ends included. */
type Interval = readonly [first: number, last: number];

/** Why indexes cannot be read. */
export class IndexesError extends Error {
  override readonly name = "IndexesError";
}

/** How many indexes there are; throws when they are not in order or too large. */
export function countIndexes(text: string, completions: number): number {
  if (text === "") return 0;
  let previous: number | undefined;
  let total = 0;
  for (const part of text.split(",")) {
    const [first, last] = parseInterval(part, completions);
    if (previous !== undefined && previous >= first)
      throw new IndexesError(`non-increasing order, previous: ${previous}, current: ${first}`);
    total += last - first + 1;
    previous = last;
  }
  return total;
}

function parseInterval(text: string, completions: number): Interval {
  const [low = "", high, ...more] = text.split("-");
  if (more.length > 0) {
    const rule = "an index interval can have at most two parts separated by '-'";
    throw new IndexesError(`the fragment ${JSON.stringify(text)} violates the requirement that ${rule}`);
  }
  const first = parseIndex(low, completions);
  if (high === undefined) return [first, first];
  const last = parseIndex(high, completions);
  if (first >= last) throw new IndexesError(`non-increasing order, previous: ${first}, current: ${last}`);
  return [first, last];
}

function parseIndex(text: string, completions: number): number {
  if (!/^[+-]?[0-9]{1,18}$/.test(text))
    throw new IndexesError(`cannot convert string to integer for index: ${JSON.stringify(text)}`);
  const index = Number(text);
  if (index >= completions) throw new IndexesError(`too large index: ${JSON.stringify(text)}`);
  return index;
}

/** The first index both sets have; what cannot be read is left out. */
export function firstCommonIndex(a: string, b: string, completions: number): number | undefined {
  const left = readable(a, completions);
  const right = readable(b, completions);
  let [i, j] = [0, 0];
  for (;;) {
    const one = left[i];
    const other = right[j];
    if (!one || !other) return undefined;
    if (one[0] <= other[1] && other[0] <= one[1]) return Math.max(one[0], other[0]);
    if (one[0] <= other[0]) i++;
    else j++;
  }
}

function readable(text: string, completions: number): Interval[] {
  if (text === "") return [];
  return text.split(",").flatMap((part): Interval[] => {
    try {
      return [parseInterval(part, completions)];
    } catch (error) {
      if (error instanceof IndexesError) return [];
      throw error;
    }
  });
}
