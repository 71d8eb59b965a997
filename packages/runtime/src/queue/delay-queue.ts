// Keys that become due later: a binary heap and one timer, for the earliest.
import type { Clock, Timer } from "@kubewright/api";

interface Entry {
  readonly key: string;
  readonly due: number;
}

export class DelayQueue {
  /** The due time that counts for each key; heap entries that disagree are stale. */
  readonly #due = new Map<string, number>();
  #heap: Entry[] = [];
  #timer: { readonly timer: Timer; readonly due: number } | undefined;
  readonly #clock: Clock;
  readonly #onDue: (key: string) => void;

  constructor(clock: Clock, onDue: (key: string) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  /** The earliest of several adds wins. */
  add(key: string, delay: number): void {
    const due = this.#clock.monotonic() + delay;
    const known = this.#due.get(key);
    if (known !== undefined && known <= due) return;
    this.#due.set(key, due);
    this.#push({ key, due });
    this.#arm();
  }

  delete(key: string): void {
    this.#due.delete(key);
    if (this.#due.size === 0) this.close();
    else if (this.#heap.length > 64 && this.#heap.length > 2 * this.#due.size) this.#rebuild();
  }

  close(): void {
    this.#due.clear();
    this.#heap = [];
    this.#timer?.timer.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    const first = this.#heap[0];
    if (!first) return;
    if (this.#timer && this.#timer.due <= first.due) return;
    this.#timer?.timer.cancel();
    const delay = Math.max(0, first.due - this.#clock.monotonic());
    this.#timer = { due: first.due, timer: this.#clock.setTimer(delay, () => this.#fire()) };
  }

  #fire(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    for (let first = this.#heap[0]; first && first.due <= now; first = this.#heap[0]) {
      this.#pop();
      if (this.#due.get(first.key) !== first.due) continue;
      this.#due.delete(first.key);
      this.#onDue(first.key);
    }
    this.#arm();
  }

  #rebuild(): void {
    this.#heap = [...this.#due]
      .map(([key, due]) => ({ key, due }))
      .sort((left, right) => left.due - right.due);
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >>> 1;
      const above = heap[parent];
      if (!above || above.due <= entry.due) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let index = 0;
    while (true) {
      const left = heap[2 * index + 1];
      const right = heap[2 * index + 2];
      const smaller = right && left && right.due < left.due ? right : left;
      if (!smaller || smaller.due >= last.due) break;
      heap[index] = smaller;
      index = smaller === right ? 2 * index + 2 : 2 * index + 1;
    }
    heap[index] = last;
  }
}
