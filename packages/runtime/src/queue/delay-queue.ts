// Entries that become due later: a binary heap that knows where each entry stands, and one timer, for the earliest.
import type { Clock, Timer } from "@kubewright/api";

/** The state of an entry, kept by the queue: when it is due, and where it stands in the heap; -1 when it does not. */
export interface Delayed {
  due: number;
  heapIndex: number;
}

export class DelayQueue<Entry extends Delayed> {
  readonly #heap: Entry[] = [];
  #timer: { readonly timer: Timer; readonly due: number } | undefined;
  readonly #clock: Clock;
  readonly #onDue: (entry: Entry) => void;

  constructor(clock: Clock, onDue: (entry: Entry) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  get size(): number {
    return this.#heap.length;
  }

  /** Of several times the earliest counts. */
  schedule(entry: Entry, due: number): void {
    if (entry.heapIndex === -1) {
      entry.due = due;
      entry.heapIndex = this.#heap.push(entry) - 1;
    } else if (due < entry.due) entry.due = due;
    else return;
    this.#rise(entry);
    this.#arm();
  }

  cancel(entry: Entry): void {
    const index = entry.heapIndex;
    if (index === -1) return;
    const last = this.#heap.pop();
    entry.heapIndex = -1;
    if (last && last !== entry) {
      this.#put(last, index);
      this.#rise(last);
      this.#sink(last);
    }
    // A timer set for an entry that left early is let run: it finds out what is next. Only the last one is taken back.
    if (this.#heap.length === 0) this.#disarm();
  }

  close(): void {
    for (const entry of this.#heap) entry.heapIndex = -1;
    this.#heap.length = 0;
    this.#disarm();
  }

  #disarm(): void {
    this.#timer?.timer.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    const first = this.#heap[0];
    if (!first || (this.#timer && this.#timer.due <= first.due)) return;
    this.#timer?.timer.cancel();
    const delay = Math.max(0, first.due - this.#clock.monotonic());
    this.#timer = { due: first.due, timer: this.#clock.setTimer(delay, () => this.#fire()) };
  }

  #fire(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    for (let first = this.#heap[0]; first && first.due <= now; first = this.#heap[0]) {
      this.cancel(first);
      this.#onDue(first);
    }
    this.#arm();
  }

  #put(entry: Entry, index: number): void {
    this.#heap[index] = entry;
    entry.heapIndex = index;
  }

  #rise(entry: Entry): void {
    let index = entry.heapIndex;
    while (index > 0) {
      const parent = this.#heap[(index - 1) >>> 1];
      if (!parent || parent.due <= entry.due) break;
      const above = parent.heapIndex;
      this.#put(parent, index);
      index = above;
    }
    this.#put(entry, index);
  }

  #sink(entry: Entry): void {
    let index = entry.heapIndex;
    for (;;) {
      const left = this.#heap[2 * index + 1];
      const right = this.#heap[2 * index + 2];
      const child = right && left && right.due < left.due ? right : left;
      if (!child || child.due >= entry.due) break;
      const below = child.heapIndex;
      this.#put(child, index);
      index = below;
    }
    this.#put(entry, index);
  }
}
