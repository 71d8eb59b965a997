// Walks over values whose parts may be looked at in any order, written once for short values and for long ones: a plain recursion
// that, where it is given this, leaves parts for later whenever it has done enough at a stretch.
import type { Steps } from "./steps.js";

/** Looks at the members of a list or object from one index up to another. */
type Look = (from: number, to: number) => void;

interface Range {
  readonly look: Look;
  readonly from: number;
  readonly to: number;
}

/** Parts of a walk that are left for later. */
export class PutOff {
  readonly #atOnce: number;
  readonly #waiting: Range[] = [];
  #left: number;

  /** `atOnce`: so many members are looked at without a pause. */
  constructor(atOnce: number) {
    this.#atOnce = atOnce;
    this.#left = atOnce;
  }

  /** Looks at so many members now, or later when enough was looked at. */
  members(count: number, look: Look): void {
    if (count <= this.#left) this.#now({ look, from: 0, to: count });
    else
      for (let from = 0; from < count; from += this.#atOnce)
        this.#waiting.push({ look, from, to: Math.min(count, from + this.#atOnce) });
  }

  /** All that was left, with pauses. */
  *rest(): Steps<void> {
    for (let range = this.#waiting.pop(); range !== undefined; range = this.#waiting.pop()) {
      if (range.to - range.from > this.#left) {
        yield;
        this.#left = this.#atOnce;
      }
      this.#now(range);
    }
  }

  #now({ look, from, to }: Range): void {
    this.#left -= to - from;
    look(from, to);
  }
}
