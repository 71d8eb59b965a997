// The last so many of something, in a fixed amount of memory.

export class Ring<T> {
  readonly #items: (T | undefined)[];
  /** Beside the items, so that keeping one costs no object of its own. */
  readonly #orders: Float64Array;
  /** Of the next one to come. */
  #position = 0;

  constructor(capacity: number) {
    this.#orders = new Float64Array(capacity);
    this.#items = new Array<T | undefined>(capacity).fill(undefined);
  }

  get size(): number {
    return Math.min(this.#position, this.#items.length);
  }

  /** `order` is its position among the items of several rings. */
  push(item: T, order: number): void {
    const index = this.#position % this.#items.length;
    this.#items[index] = item;
    this.#orders[index] = order;
    this.#position += 1;
  }

  /** The latest first. */
  *latest(): Generator<{ readonly item: T; readonly order: number }> {
    const { length } = this.#items;
    for (let index = this.#position - 1; index >= 0 && index >= this.#position - length; index--) {
      const item = this.#items[index % length];
      if (item !== undefined) yield { item, order: this.#orders[index % length] ?? 0 };
    }
  }
}
