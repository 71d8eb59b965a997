// The right to work. A replica that leads may begin reconciles and send requests until its lease could have passed to another; past
// that moment they are refused here, whatever the code above assumes. Each request is checked once more right before it is written to
// its connection: a process that was stopped while a request waited for one does not send it when it goes on.
import type { CallOptions } from "@kubewright/client";

/** Checked before every reconcile and every request of one. */
export interface Fence {
  /** Throws a NotLeaderError when this replica may not work. */
  check(): void;
  /** Throws like `check`; returns the bounds within which a write must be sent and answered. */
  bounds(): CallOptions;
  /** False for good once this replica may not work any more. */
  readonly isOpen: boolean;
}

/** A write was refused, or a reconcile ended, because this replica no longer leads. */
export class NotLeaderError extends Error {
  override readonly name = "NotLeaderError";
}

const unbounded: CallOptions = {};

/** For managers without leader election: everything is allowed. */
export const openFence: Fence = { isOpen: true, check: () => undefined, bounds: () => unbounded };
