import type { Outcome } from "./outcome.js";
import type { ReconcileRecord } from "./reconcile-observer.js";

/** The reconcile that a span describes. */
export interface TracedRun {
  readonly key: string;
  readonly reasons: readonly string[];
  readonly writes: ReconcileRecord["writes"];
  readonly knownID: string | undefined;
}

/** Traces reconciles. */
export interface ReconcileTracer {
  /** Asked before each reconcile; one that is off is not called. */
  readonly isOn: boolean;
  /** Runs a reconcile inside a span. */
  around(controller: string, kind: string, run: TracedRun, work: () => Promise<Outcome>): Promise<Outcome>;
}
