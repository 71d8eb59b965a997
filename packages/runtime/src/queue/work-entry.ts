// The queue's entry for one key. An entry exists while its key waits, is in flight, is due later or has failed, and no
// longer: that is why a queue that has seen millions of keys holds on to none of them.
import type { FailureHistory } from "./backoff.js";
import type { Delayed } from "./delay-queue.js";
import type { Lane } from "./lane.js";

/** Fresh changes overtake the initial list and periodic work, but never starve it. */
export type Priority = "fresh" | "background";

const maxReasons = 8;
const none: readonly string[] = [];

export class WorkEntry implements FailureHistory, Delayed {
  readonly key: string;
  state: "idle" | "waiting" | "taken" = "idle";
  /** Of the place it waits in, or of the one it was taken from. */
  priority: Priority = "background";
  /** The time when it began to wait. */
  since = 0;
  reasons: string[] | undefined = undefined;
  /** Why it was taken; still true when it fails. */
  takenFor: readonly string[] = none;

  /** Added while in flight: to be queued again when given back. */
  again: Priority | undefined = undefined;
  isAgainUrgent = false;

  failures = 0;
  failedAt = 0;
  retryAt = 0;

  /** Owned by the delay queue: when it is due, and where it stands there; -1 when it does not. */
  due = 0;
  duePriority: Priority = "background";
  heapIndex = -1;

  /** Owned by the lane it waits in. */
  lane: Lane | undefined = undefined;
  previous: WorkEntry | undefined = undefined;
  next: WorkEntry | undefined = undefined;

  constructor(key: string) {
    this.key = key;
  }

  /** Nothing is known of the key that would have to be remembered. */
  get isForgettable(): boolean {
    return this.state === "idle" && this.heapIndex === -1 && this.failures === 0;
  }

  note(reason: string): void {
    if (!this.reasons) this.reasons = [reason];
    else if (this.reasons.length < maxReasons && !this.reasons.includes(reason)) this.reasons.push(reason);
  }
}

/** The more pressing of two. */
export function higher(one: Priority | undefined, other: Priority): Priority {
  return one === "fresh" ? one : other;
}
