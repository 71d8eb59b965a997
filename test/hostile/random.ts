// Numbers that look like chance and are the same each time: whatever is found can be found again from its seed.

/** A source of choices. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** The source for one of many things: the same for the same seed and index, whatever else was drawn. */
  static of(seed: number, index: number): Random {
    const random = new Random(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35));
    random.next();
    return random;
  }

  /** From 0 up to, but not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from 0 up to, but not including, `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(all: readonly T[]): T {
    const picked = all[this.below(all.length)];
    if (picked === undefined) throw new Error("there is nothing to choose from");
    return picked;
  }

  /** As many of what `make` makes as `count` says. */
  times<T>(count: number, make: (index: number) => T): T[] {
    return Array.from({ length: count }, (_, index) => make(index));
  }
}
