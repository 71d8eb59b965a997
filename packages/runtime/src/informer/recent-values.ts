// A bounded memory of what came by lately, for finding an equal value again: no entries to allocate, nothing to clean up.

/** Values that share a bucket; the first is the one seen most. */
const bucketSize = 4;

/**
 * A table of fixed size. Who looks for a value walks its bucket, and says what was found again or, at the end, that nothing
 * was: a value that comes again moves up, a new one takes a free place or the last.
 */
export class RecentValues<T> {
  readonly #places: (T | undefined)[];
  readonly #cameAgain: Uint8Array;
  readonly #mask: number;

  /** Remembers 2 to the power of `bits` values. */
  constructor(bits: number) {
    this.#places = new Array<T | undefined>(2 ** bits).fill(undefined);
    this.#cameAgain = new Uint8Array(2 ** bits);
    this.#mask = 2 ** bits - bucketSize;
  }

  /** The first place of the bucket for a hash. Places follow each other until one is free, or `end` is reached. */
  start(hash: number): number {
    return hash & this.#mask;
  }

  end(start: number): number {
    return start + bucketSize;
  }

  at(place: number): T | undefined {
    return this.#places[place];
  }

  /** The value at this place came again. Returns whether it did so for the first time. */
  found(place: number, start: number): boolean {
    const isFirst = this.#cameAgain[place] === 0;
    if (isFirst) this.#cameAgain[place] = 1;
    if (place > start) this.#swap(place, place - 1);
    return isFirst;
  }

  /** No equal value was found before this place. */
  notFound(value: T, place: number, start: number): void {
    const free = place < start + bucketSize ? place : place - 1;
    this.#places[free] = value;
    this.#cameAgain[free] = 0;
  }

  #swap(one: number, other: number): void {
    const value = this.#places[one];
    this.#places[one] = this.#places[other];
    this.#places[other] = value;
    const mark = this.#cameAgain[one] ?? 0;
    this.#cameAgain[one] = this.#cameAgain[other] ?? 0;
    this.#cameAgain[other] = mark;
  }
}

/** A hash whose every bit depends on every bit of the given one. */
export function mixed(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return once ^ (once >>> 13);
}
