// Latency of a request that is not the server's own: webhooks, and the time in the queue of priority and fairness.
import type { AdmissionPhase } from "./admission-metrics.js";

/** In milliseconds. */
export class LatencyTracker {
  #mutating = 0;
  #validating = 0;
  /** Time in the queue of its flow. */
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
