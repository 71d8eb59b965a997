// The observer of reconciles, from which metrics, timelines and traces are made.
import type { Outcome } from "./outcome.js";
import type { EventInput } from "./reconcile-context.js";
import type { ReadRecord, WriteRecord } from "./run-notes.js";

/** One reconcile that has ended. */
export interface ReconcileRecord {
  readonly controller: string;
  readonly key: string;
  readonly reasons: readonly string[];
  readonly outcome: Outcome;
  /** On the monotonic clock, in milliseconds. */
  readonly began: number;
  readonly duration: number;
  /** The time the key waited in the queue, in milliseconds. */
  readonly waited: number;
  /** As logged; undefined when nothing asked for one. */
  readonly reconcileID: string | undefined;
  /** Those from the server; those from caches while somebody watches them. */
  readonly reads: readonly ReadRecord[];
  readonly writes: readonly WriteRecord[];
  readonly events: readonly EventInput[];
}

/** Called for every reconcile. It must not throw, and should be quick: it is called between two of them. */
export interface ReconcileObserver {
  reconciled(record: ReconcileRecord): void;
}

/** One observer for several; each is called even when one before it throws. */
export function observers(all: readonly (ReconcileObserver | undefined)[]): ReconcileObserver | undefined {
  const [first, second, ...rest] = all.filter((observer) => observer !== undefined);
  if (!first || !second) return first;
  const other = observers([second, ...rest]) ?? second;
  return {
    reconciled(record) {
      try {
        first.reconciled(record);
      } finally {
        other.reconciled(record);
      }
    },
  };
}
