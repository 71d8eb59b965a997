// The last so many of something, in a fixed amount of memory.

export class Ring<T> {
  readonly #items: (T | undefined)[];
  /** Of the next one to come. */
  #position = 0;

  constructor(capacity: number) {
    this.#items = new Array<T | undefined>(capacity).fill(undefined);
  }

  get size(): number {
    return Math.min(this.#position, this.#items.length);
  }

  push(item: T): void {
    this.#items[this.#position % this.#items.length] = item;
    this.#position += 1;
  }

  /** The latest first. */
  *latest(): Generator<T> {
    const { length } = this.#items;
    for (let index = this.#position - 1; index >= 0 && index >= this.#position - length; index--) {
      const item = this.#items[index % length];
      if (item !== undefined) yield item;
    }
  }
}
