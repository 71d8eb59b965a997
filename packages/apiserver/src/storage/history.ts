// The newest changes of one resource: what watches resume from and old snapshots are rebuilt from.

import type { StoredObject } from "@kubewright/kinds";
import { type Change, CompactedError } from "./storage.js";

/** How much is remembered; whichever is reached first. The newest change is always. */
export interface HistoryLimits {
  readonly changes: number;
  /** About, as JSON. */
  readonly bytes: number;
  /** Bytes, about, in memory: many times as much where there is little text in objects. */
  readonly memory: number;
  /** The same for all resources together: then those with the most are forgotten first. */
  readonly allMemory: number;
  /** Milliseconds. */
  readonly age: number;
}

/** The memory of a recorded change besides the object. */
const perChange = 256;

/** A bounded log. Dropped entries are cut off in blocks, so that appending stays O(1). */
export class History {
  #changes: (Change | undefined)[] = [];
  #first = 0;
  #bytes = 0;
  #memory = 0;
  /** Changes up to and including this revision may be missing. */
  #compacted = 0;
  readonly #limits: HistoryLimits;

  constructor(limits: HistoryLimits, compacted: number) {
    this.#limits = limits;
    this.#compacted = compacted;
  }

  /** About how many bytes of memory it holds. */
  get memory(): number {
    return this.#memory;
  }

  append(change: Change): void {
    this.#changes.push(change);
    this.#bytes += change.size + perChange;
    this.#memory += change.memory + perChange;
    while (this.#isOver(change.time)) this.#drop(this.#first + 1);
  }

  /** Forgets the older half of what it holds; false when there is but the newest. */
  halve(): boolean {
    const count = this.#changes.length - this.#first;
    this.#drop(this.#first + (count >>> 1));
    return count > 1;
  }

  /** Changes after `revision`, oldest first. */
  after(revision: number): readonly Change[] {
    if (revision < this.#compacted) throw new CompactedError(revision, this.#compacted);
    const changes: Change[] = [];
    for (let index = this.#indexAfter(revision); index < this.#changes.length; index++) {
      const change = this.#changes[index];
      if (change) changes.push(change);
    }
    return changes;
  }

  /** The objects at `revision` of all keys changed since; undefined where there was none. */
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

  #isOver(now: number): boolean {
    const count = this.#changes.length - this.#first;
    if (count <= 1) return false;
    const { changes, bytes, memory, age } = this.#limits;
    if (count > changes || this.#bytes > bytes || this.#memory > memory) return true;
    const oldest = this.#changes[this.#first];
    return oldest !== undefined && now - oldest.time > age;
  }

  /** Forgets all before index `first`. */
  #drop(first: number): void {
    for (; this.#first < first; this.#first++) {
      const change = this.#changes[this.#first];
      this.#changes[this.#first] = undefined;
      if (!change) continue;
      this.#bytes -= change.size + perChange;
      this.#memory -= change.memory + perChange;
      this.#compacted = Math.max(this.#compacted, change.revision);
    }
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
