// The part of a request's time that the server is not to blame for: webhooks, and its turn in the queue.
import type { AdmissionPhase } from "./admission-metrics.js";

/** In milliseconds. */
export class OutsideTime {
  #mutating = 0;
  #validating = 0;
  /** Until it was the turn of its flow. */
  queued = 0;

  /** Mutating webhooks are asked one after the other, validating ones at the same time. */
  asked(phase: AdmissionPhase, milliseconds: number): void {
    if (phase === "admit") this.#mutating += milliseconds;
    else this.#validating = Math.max(this.#validating, milliseconds);
  }

  get total(): number {
    return this.#mutating + this.#validating + this.queued;
  }
}
