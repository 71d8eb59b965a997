// Batches of audit events: requests do not wait for the backend.
//
// Guarantees
// - A batch goes when it is full, or when its first event has waited long enough.
// - Batches begin no faster than the rate limit, and only so many are in flight. What comes meanwhile waits, up to a number of events; the
//   rest is dropped and counted.
import type { Clock, Timer } from "@kubewright/api";
import type { AuditEvent } from "./audit-event.js";

/** How events are put together, under the names kube-apiserver's options have. */
export interface AuditBatchLimits {
  /** Events that may wait. */
  readonly bufferSize: number;
  /** Events of one batch. */
  readonly maxSize: number;
  /** Milliseconds until a batch goes that is not full. */
  readonly maxWait: number;
  /** Batches a second, and how many may begin at once after a quiet time; no limit where undefined. */
  readonly throttle: { readonly qps: number; readonly burst: number } | undefined;
}

/** The defaults of kube-apiserver. */
export const usualBatchLimits: AuditBatchLimits = {
  bufferSize: 10_000,
  maxSize: 400,
  maxWait: 30_000,
  throttle: { qps: 10, burst: 15 },
};

/** Batches that are under way at the same time: more would only pile up before one who does not answer. */
const mostUnderWay = 16;

export class AuditBatches {
  readonly #limits: AuditBatchLimits;
  readonly #clock: Clock;
  readonly #send: (events: readonly AuditEvent[]) => Promise<void>;
  readonly #underWay = new Set<Promise<void>>();
  #waiting: AuditEvent[] = [];
  #isDue = false;
  #timer: Timer | undefined;
  #tokens: number;
  #refilled: number;

  /** `send` never rejects. */
  constructor(
    limits: AuditBatchLimits,
    clock: Clock,
    send: (events: readonly AuditEvent[]) => Promise<void>,
  ) {
    this.#limits = limits;
    this.#clock = clock;
    this.#send = send;
    this.#tokens = limits.throttle?.burst ?? 0;
    this.#refilled = clock.monotonic();
  }

  /** Whether there was room for it. */
  add(event: AuditEvent): boolean {
    const { bufferSize, maxSize, maxWait } = this.#limits;
    if (this.#waiting.length >= bufferSize) return false;
    this.#waiting.push(event);
    if (this.#waiting.length >= maxSize) this.#pump();
    else this.#timer ??= this.#clock.setTimer(maxWait, this.#due);
    return true;
  }

  /** Sends what waits, however fast, and resolves when nothing is under way any more. */
  async close(): Promise<void> {
    this.#timer?.cancel();
    while (this.#waiting.length > 0) {
      this.#begin();
      if (this.#underWay.size >= mostUnderWay) await Promise.race(this.#underWay);
    }
    await Promise.all(this.#underWay);
  }

  readonly #due = (): void => {
    this.#timer = undefined;
    this.#isDue = true;
    this.#pump();
  };

  /** Begins what may begin now, and sees to it that the rest does later. */
  #pump(): void {
    const { maxSize, maxWait } = this.#limits;
    const isReady = (): boolean =>
      this.#waiting.length >= maxSize || (this.#isDue && this.#waiting.length > 0);
    while (isReady() && this.#underWay.size < mostUnderWay) {
      const wait = this.#wait();
      if (wait > 0) {
        this.#timer?.cancel();
        this.#timer = this.#clock.setTimer(wait, this.#due);
        return;
      }
      this.#begin();
    }
    if (this.#waiting.length > 0 && !isReady()) this.#timer ??= this.#clock.setTimer(maxWait, this.#due);
  }

  #begin(): void {
    this.#isDue = false;
    const batch = this.#waiting.slice(0, this.#limits.maxSize);
    this.#waiting = this.#waiting.slice(batch.length);
    const sent = this.#send(batch).finally(() => {
      this.#underWay.delete(sent);
      this.#pump();
    });
    this.#underWay.add(sent);
  }

  /** Takes a token, or says after how many milliseconds there is one. */
  #wait(): number {
    const { throttle } = this.#limits;
    if (!throttle) return 0;
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(throttle.burst, this.#tokens + ((now - this.#refilled) * throttle.qps) / 1000);
    this.#refilled = now;
    if (this.#tokens < 1) return Math.max(1, ((1 - this.#tokens) * 1000) / throttle.qps);
    this.#tokens--;
    return 0;
  }
}
