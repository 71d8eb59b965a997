// The timers of a virtual clock, earliest first; those due at the same time in the order they were set.

/** A callback waiting for its time. */
export interface QueuedTimer {
  readonly due: number;
  readonly callback: () => void;
  /** Breaks ties. */
  readonly sequence: number;
  /** Cancelled, or taken out. */
  isOver: boolean;
}

/** A binary heap. Cancelled timers stay until they surface, or until they outnumber the others. */
export class TimerQueue {
  #heap: QueuedTimer[] = [];
  #sequence = 0;
  #live = 0;

  /** The number of timers that wait. */
  get size(): number {
    return this.#live;
  }

  add(due: number, callback: () => void): QueuedTimer {
    const timer: QueuedTimer = { due, callback, sequence: this.#sequence++, isOver: false };
    this.#heap.push(timer);
    this.#live += 1;
    this.#rise(this.#heap.length - 1);
    return timer;
  }

  cancel(timer: QueuedTimer): void {
    if (timer.isOver) return;
    timer.isOver = true;
    this.#live -= 1;
    // Most timers are deadlines that never pass: without this a long test would keep them all.
    if (this.#heap.length > 64 && this.#heap.length > this.#live * 2) {
      this.#heap = this.#heap.filter(({ isOver }) => !isOver).sort(inOrder);
    }
  }

  /** The due time of the next timer; undefined when none waits. */
  nextDue(): number | undefined {
    while (this.#heap[0]?.isOver) this.#removeFirst();
    return this.#heap[0]?.due;
  }

  /** Takes the next timer out. */
  take(): QueuedTimer | undefined {
    if (this.nextDue() === undefined) return undefined;
    const timer = this.#removeFirst();
    if (timer) timer.isOver = true;
    this.#live -= 1;
    return timer;
  }

  #removeFirst(): QueuedTimer | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (last !== undefined && last !== first) {
      this.#heap[0] = last;
      this.#sink(0);
    }
    return first;
  }

  #rise(from: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#swapUnlessInOrder(parent, at)) return;
      at = parent;
    }
  }

  #sink(from: number): void {
    let at = from;
    for (;;) {
      const left = at * 2 + 1;
      const child = this.#isBefore(left + 1, left) ? left + 1 : left;
      if (!this.#swapUnlessInOrder(at, child)) return;
      at = child;
    }
  }

  #isBefore(a: number, b: number): boolean {
    const first = this.#heap[a];
    const second = this.#heap[b];
    return first !== undefined && second !== undefined && inOrder(first, second) < 0;
  }

  #swapUnlessInOrder(upper: number, lower: number): boolean {
    const above = this.#heap[upper];
    const below = this.#heap[lower];
    if (above === undefined || below === undefined || inOrder(above, below) <= 0) return false;
    this.#heap[upper] = below;
    this.#heap[lower] = above;
    return true;
  }
}

function inOrder(a: QueuedTimer, b: QueuedTimer): number {
  return a.due - b.due || a.sequence - b.sequence;
}
