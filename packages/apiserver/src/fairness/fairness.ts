// API priority and fairness: classifies requests into flows, queues them, and counts them in metrics.

import { ApiError, type Clock, systemClock } from "@kubewright/api";
import type { UserInfo } from "@kubewright/kinds";

import type { RequestInfo } from "../request/request-info.js";
import type { Storage } from "../storage/index.js";
import { type FlowClass, FlowClassifier } from "./classifier.js";
import { FairQueue, QueueFull } from "./fair-queue.js";
import { FlowMetrics, type FlowNumbers } from "./flow-metrics.js";
import { seatLimits } from "./seat-limits.js";

export class Fairness {
  readonly #classifier: FlowClassifier;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #queue = new FairQueue();
  readonly #metrics = new FlowMetrics();
  readonly #storage: Storage;

  constructor(storage: Storage, clock: Pick<Clock, "monotonic"> = systemClock) {
    this.#storage = storage;
    this.#classifier = new FlowClassifier(storage);
    this.#clock = clock;
  }

  classify(user: UserInfo, info: RequestInfo): FlowClass | undefined {
    return this.#classifier.classify(user, info);
  }

  /**
   * Takes a seat for a request of the flow: at once where one is free, else as a promise. Returns the function that releases the seat.
   * Throws or rejects with 429 when the queue of the flow is full.
   */
  acquireSeat(flow: FlowClass | undefined): (() => void) | Promise<() => void> {
    const numbers = this.#metrics.of(flow ?? unclassified);
    const waiting = this.#enter(flow, numbers);
    return waiting ? this.#wait(waiting, numbers) : begin(numbers, 0);
  }

  #enter(flow: FlowClass | undefined, numbers: FlowNumbers): Promise<void> | undefined {
    try {
      return this.#queue.enter(flow?.flow ?? "", flow?.isExempt !== true);
    } catch (error) {
      if (!(error instanceof QueueFull)) throw error;
      numbers.rejected++;
      throw tooMany();
    }
  }

  async #wait(seat: Promise<void>, numbers: FlowNumbers): Promise<() => void> {
    const began = this.#clock.monotonic();
    numbers.waiting++;
    await seat;
    numbers.waiting--;
    return begin(numbers, this.#clock.monotonic() - began);
  }

  /** In Prometheus' format. */
  metrics(): string {
    return this.#metrics.text() + seatLimits(this.#storage);
  }

  close(): void {
    this.#classifier.close();
  }
}

function begin(numbers: FlowNumbers, waited: number): () => void {
  numbers.dispatched++;
  numbers.executing++;
  numbers.waits.observe(waited / 1000);
  return () => {
    numbers.executing--;
  };
}

/** For requests that no FlowSchema matches. */
const unclassified = { schema: "", level: "" };

export const tooMany = (): ApiError =>
  new ApiError("Too many requests, please try again later.", {
    code: 429,
    reason: "TooManyRequests",
    details: { retryAfterSeconds: 1 },
  });
