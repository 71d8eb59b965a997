// Pods that need a node: the most important first, then those that have waited longest. Pods that fit nowhere wait apart
// until something changes that could help them.

/** The cluster events that can make a pod schedulable. */
export type Occasion = "node" | "pod-gone" | "pod-placed" | "pod-changed" | "volume" | "namespace";

/** The cluster events that can change the decision of each plugin. */
const helps: Readonly<Record<string, readonly Occasion[]>> = {
  NodeUnschedulable: ["node"],
  TaintToleration: ["node"],
  NodeAffinity: ["node"],
  NodePorts: ["node", "pod-gone"],
  NodeResourcesFit: ["node", "pod-gone"],
  VolumeRestrictions: ["node", "pod-gone", "volume"],
  VolumeBinding: ["node", "volume"],
  PodTopologySpread: ["node", "pod-gone", "pod-placed", "pod-changed"],
  InterPodAffinity: ["node", "pod-gone", "pod-placed", "pod-changed", "namespace"],
};

interface Entry {
  readonly key: string;
  readonly priority: number;
  readonly since: number;
}

export class SchedulingQueue {
  readonly #entries = new Map<string, Entry>();
  /** A binary heap; entries that were taken out or replaced are skipped when they come up. */
  readonly #heap: Entry[] = [];
  /** By key: the plugins that said no. */
  readonly #waiting = new Map<string, ReadonlySet<string>>();
  /** Keys of pods that something may have helped, and that are not to be tried yet. */
  readonly #resting = new Set<string>();

  get length(): number {
    return this.#entries.size;
  }

  isWaiting(key: string): boolean {
    return this.#waiting.has(key) || this.#resting.has(key);
  }

  add(key: string, priority: number, since: number): void {
    this.#waiting.delete(key);
    this.#resting.delete(key);
    const known = this.#entries.get(key);
    if (known && known.priority === priority) return;
    const entry = { key, priority, since };
    this.#entries.set(key, entry);
    this.#heap.push(entry);
    this.#rise(this.#heap.length - 1);
  }

  /** The next pod, which is no longer in the queue then. */
  take(): string | undefined {
    while (this.#heap.length > 0) {
      const entry = this.#pop();
      if (!entry || this.#entries.get(entry.key) !== entry) continue;
      this.#entries.delete(entry.key);
      return entry.key;
    }
    return undefined;
  }

  /** Nothing can be done for the pod as things are. */
  park(key: string, objectors: ReadonlySet<string>): void {
    if (!this.#entries.has(key)) this.#waiting.set(key, objectors);
  }

  /** The pod has been helped, but is to be added later. */
  rest(key: string): void {
    if (this.#waiting.delete(key)) this.#resting.add(key);
  }

  forget(key: string): void {
    this.#waiting.delete(key);
    this.#resting.delete(key);
    this.#entries.delete(key);
  }

  /** The waiting pods that the occasion may help; a pod that nobody objected to waits for any. */
  helped(occasion: Occasion): readonly string[] {
    const found: string[] = [];
    for (const [key, objectors] of this.#waiting) {
      const isHelped = objectors.size === 0 || [...objectors].some((name) => helps[name]?.includes(occasion));
      if (isHelped) found.push(key);
    }
    return found;
  }

  #pop(): Entry | undefined {
    const [top] = this.#heap;
    const last = this.#heap.pop();
    if (last && this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#sink(0);
    }
    return top;
  }

  #rise(from: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfBefore(at, parent)) return;
      at = parent;
    }
  }

  #sink(from: number): void {
    let at = from;
    for (;;) {
      const left = 2 * at + 1;
      let first = at;
      if (this.#isBefore(left, first)) first = left;
      if (this.#isBefore(left + 1, first)) first = left + 1;
      if (first === at) return;
      this.#swapIfBefore(first, at);
      at = first;
    }
  }

  #isBefore(a: number, b: number): boolean {
    const [one, other] = [this.#heap[a], this.#heap[b]];
    if (!one || !other) return false;
    return one.priority !== other.priority ? one.priority > other.priority : one.since < other.since;
  }

  #swapIfBefore(a: number, b: number): boolean {
    const [one, other] = [this.#heap[a], this.#heap[b]];
    if (!one || !other || !this.#isBefore(a, b)) return false;
    this.#heap[a] = other;
    this.#heap[b] = one;
    return true;
  }
}
