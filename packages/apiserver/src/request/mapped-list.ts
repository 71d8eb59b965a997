// Long lists in answers over connections: items are made from stored objects when they are encoded, one after the other. A client that reads
// slowly then holds on to the objects that are stored anyway, and not to a copy of each.

/** Items that make a list long. */
export const longFrom = 100;

export class MappedList<T = unknown> implements Iterable<unknown> {
  readonly #source: readonly T[];
  readonly #make: (item: T) => unknown;

  constructor(source: readonly T[], make: (item: T) => unknown) {
    this.#source = source;
    this.#make = make;
  }

  get length(): number {
    return this.#source.length;
  }

  *[Symbol.iterator](): Iterator<unknown> {
    for (const item of this.#source) yield this.#make(item);
  }

  /** The items from one index to before another. */
  slice(from: number, to: number): unknown[] {
    return this.#source.slice(from, to).map(this.#make);
  }
}

/** Where the items of a list go: programs in this process are given arrays. */
interface Recipient {
  readonly inProcess?: boolean | undefined;
}

/** The items that a function makes of others, each when it is needed where the list is long and goes over a connection. */
export function mapList<T, U>(
  { inProcess }: Recipient,
  source: readonly T[],
  make: (item: T) => U,
): readonly U[] | MappedList<T> {
  return inProcess || source.length < longFrom ? source.map(make) : new MappedList(source, make);
}

/** The object with arrays in place of such lists. */
export function withArrays(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value);
  if (!fields.some(([, field]) => field instanceof MappedList)) return value;
  return Object.fromEntries(
    fields.map(([name, field]) => [name, field instanceof MappedList ? [...field] : field]),
  );
}
