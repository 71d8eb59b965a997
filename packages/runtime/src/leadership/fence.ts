// The right to write. A replica that leads may write until its lease could have passed to another; past that moment its
// writes are refused here, whatever the code above assumes.
import type { CallOptions } from "@kubewright/client";

/** Checked before every write. */
export interface Fence {
  /** Throws a NotLeaderError when writing is not allowed; returns the bounds within which a write must be answered. */
  bounds(): CallOptions;
  readonly isOpen: boolean;
}

/** A write was refused, or a reconcile ended, because this replica no longer leads. */
export class NotLeaderError extends Error {
  override readonly name = "NotLeaderError";
}

const unbounded: CallOptions = {};

/** For managers without leader election: everything is allowed. */
export const openFence: Fence = { isOpen: true, bounds: () => unbounded };
