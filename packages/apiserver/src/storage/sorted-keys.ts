// Keys in byte order with cheap prefix ranges. Kubernetes keys are ASCII, where UTF-16 order is byte order.

/** A sorted set of strings; insertion and removal move an array of pointers, which beats a tree up to about 10^6 keys. */
export class SortedKeys {
  readonly #keys: string[] = [];

  get size(): number {
    return this.#keys.length;
  }

  add(key: string): void {
    const last = this.#keys.at(-1);
    if (last === undefined || last < key) this.#keys.push(key);
    else this.#keys.splice(this.indexFrom(key), 0, key);
  }

  delete(key: string): void {
    const index = this.indexFrom(key);
    if (this.#keys[index] === key) this.#keys.splice(index, 1);
  }

  at(index: number): string | undefined {
    return this.#keys[index];
  }

  /** The index of the first key that is not before `key`. */
  indexFrom(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const candidate = this.#keys[middle];
      if (candidate !== undefined && candidate < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  countPrefix(prefix: string): number {
    return prefix === "" ? this.size : this.indexFrom(`${prefix}\uffff`) - this.indexFrom(prefix);
  }
}
