// The newest changes of one resource: what watches resume from and old snapshots are rebuilt from.
import { type Change, CompactedError, type StoredObject } from "./storage.js";

/** A bounded log. Dropped entries are cut off in blocks, so that appending stays O(1). */
export class History {
  #changes: Change[] = [];
  #first = 0;
  /** Changes up to and including this revision may be missing. */
  #compacted = 0;
  readonly #limit: number;

  constructor(limit: number, compacted: number) {
    this.#limit = limit;
    this.#compacted = compacted;
  }

  append(change: Change): void {
    this.#changes.push(change);
    if (this.#changes.length - this.#first > this.#limit) this.#drop(this.#first + 1);
  }

  /** Changes after `revision`, oldest first. */
  after(revision: number): readonly Change[] {
    if (revision < this.#compacted) throw new CompactedError(revision, this.#compacted);
    return this.#changes.slice(this.#indexAfter(revision));
  }

  /** What every key changed since `revision` held at that time; undefined where there was nothing. */
  statesAt(revision: number): Map<string, StoredObject | undefined> {
    const states = new Map<string, StoredObject | undefined>();
    for (const change of this.after(revision)) {
      if (!states.has(change.key)) states.set(change.key, change.previous);
    }
    return states;
  }

  compact(revision: number): void {
    if (revision <= this.#compacted) return;
    this.#drop(this.#indexAfter(revision));
    this.#compacted = revision;
  }

  #drop(first: number): void {
    this.#first = first;
    this.#compacted = Math.max(this.#compacted, this.#changes[first - 1]?.revision ?? 0);
    if (this.#first > 1024 && this.#first * 2 > this.#changes.length) {
      this.#changes = this.#changes.slice(this.#first);
      this.#first = 0;
    }
  }

  #indexAfter(revision: number): number {
    let low = this.#first;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const change = this.#changes[middle];
      if (change !== undefined && change.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
