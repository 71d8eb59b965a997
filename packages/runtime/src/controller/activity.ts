// The activity of a controller, for metrics, health checks and timelines.
import type { QueueTally, WorkQueue } from "../queue/work-queue.js";
import type { AnyResource } from "./kinds.js";

/** A reconcile under way. */
export interface Running {
  readonly key: string;
  /** On the monotonic clock. */
  readonly began: number;
}

export interface ControllerActivity {
  readonly name: string;
  readonly resource: AnyResource;
  /** Keys it may work on at once. */
  readonly concurrency: number;
  /** The timeout of a reconcile, in milliseconds. */
  readonly timeout: number;
  /** Undefined while it neither works nor warms up. */
  readonly queue: WorkQueue | undefined;
  readonly tally: QueueTally;
  readonly running: Iterable<Running>;
  /** While true it collects work and begins none; reconciles under way go on. */
  readonly isPaused: boolean;
}
