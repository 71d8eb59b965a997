// Counts what an evaluation does. `cost` is Kubernetes' currency and decides as Kubernetes decides; `work` counts what that currency
// does not see (comparing two large objects costs no more there than comparing two small ones), so that no rule can hang the process.

import type { Regex } from "../regex.js";

/** Thrown when an evaluation may not go on; nothing in an expression can catch it. */
export class BudgetExceeded {}

/** About thirty milliseconds of the most expensive kind of step. What has a price in Kubernetes is stopped long before. */
const workLimit = 2_000_000;

/** The counters of one evaluation. */
export class Meter {
  readonly limit: number;
  #left: number;
  #work = workLimit;
  /** The pattern that was compiled last. */
  lastRegex: { readonly pattern: string; readonly regex: Regex } | undefined;

  constructor(limit: number) {
    this.limit = limit;
    this.#left = limit;
  }

  /** The cost spent so far. */
  get spent(): number {
    return this.limit - this.#left;
  }

  spend(cost: number): void {
    this.#left -= cost;
    if (this.#left < 0) throw new BudgetExceeded();
  }

  /** Counts steps that have no price: elements visited, characters walked over in blocks of 64. */
  work(steps: number): void {
    this.#work -= steps;
    if (this.#work < 0) throw new BudgetExceeded();
  }

  /** Counts a walk over a text. */
  walk(text: string): void {
    this.work(1 + (text.length >> 6));
  }
}
