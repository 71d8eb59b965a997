// Keys in byte order with cheap prefix ranges. Kubernetes keys are ASCII, where UTF-16 order is byte order.

/** Blocks are split when they grow beyond this: what an insertion moves is bounded, however many keys there are. */
const blockLimit = 1024;

/** A sorted set of strings, in blocks of neighbours; no block is ever empty. */
export class SortedKeys {
  readonly #blocks: string[][] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a key that is not there yet. */
  add(key: string): void {
    this.#size++;
    const at = Math.min(this.#blockOf(key), this.#blocks.length - 1);
    const block = this.#blocks[at];
    if (!block) {
      this.#blocks.push([key]);
      return;
    }
    const last = block.at(-1);
    if (last === undefined || last < key) block.push(key);
    else block.splice(firstFrom(block, key), 0, key);
    if (block.length > blockLimit) this.#split(at, block);
  }

  delete(key: string): void {
    const at = this.#blockOf(key);
    const block = this.#blocks[at];
    if (!block) return;
    const index = firstFrom(block, key);
    if (block[index] !== key) return;
    this.#size--;
    if (block.length === 1) this.#blocks.splice(at, 1);
    else block.splice(index, 1);
  }

  /** All keys from this one on, in order. */
  *from(key: string): Iterable<string> {
    let at = this.#blockOf(key);
    let index = firstFrom(this.#blocks[at] ?? [], key);
    for (; at < this.#blocks.length; at++, index = 0) {
      const block = this.#blocks[at] ?? [];
      for (; index < block.length; index++) yield block[index] ?? "";
    }
  }

  /** How many keys with the prefix there are from this one on. */
  countRange(from: string, prefix: string): number {
    const end = prefix === "" ? this.#size : this.#before(`${prefix}\uffff`);
    return Math.max(0, end - this.#before(from));
  }

  /** How many keys come before this one. */
  #before(key: string): number {
    const at = this.#blockOf(key);
    let count = firstFrom(this.#blocks[at] ?? [], key);
    for (let index = 0; index < at; index++) count += this.#blocks[index]?.length ?? 0;
    return count;
  }

  /** The first block with keys from this one on; one past the last if there are none. */
  #blockOf(key: string): number {
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const last = this.#blocks[middle]?.at(-1);
      if (last !== undefined && last < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Keys that come in order leave full blocks behind them; others are split in the middle. */
  #split(at: number, block: string[]): void {
    const isLast = at === this.#blocks.length - 1;
    const rest = block.splice(isLast ? blockLimit : blockLimit >>> 1);
    this.#blocks.splice(at + 1, 0, rest);
  }
}

/** The index of the first key that is not before `key`. */
function firstFrom(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const candidate = keys[middle];
    if (candidate !== undefined && candidate < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
