// Everything that waits or stamps takes a Clock, so that a whole cluster can run in virtual time.
import { TimeoutError } from "./errors.js";

/** A pending callback; cancelling twice, or after it ran, does nothing. */
export interface Timer {
  cancel(): void;
}

/** The source of time, and of timers. */
export interface Clock {
  /** Milliseconds since the Unix epoch; what timestamps show. May jump. */
  now(): number;
  /** Milliseconds from an arbitrary start; never jumps. For durations and deadlines. */
  monotonic(): number;
  /** Calls back once, `delay` milliseconds from now. */
  setTimer(delay: number, callback: () => void): Timer;
  /** Marks work in flight until the returned function is called: virtual time stands still meanwhile. */
  busy(what: string): () => void;
}

const nothing = (): void => undefined;

/** The clock of the machine, with timers of any length: what everything uses where time is not virtual. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(delay, callback) {
    // Node fires timers beyond 2^31-1 ms at once; such a delay is split.
    const limit = 2_147_483_647;
    let timer: NodeJS.Timeout;
    const arm = (left: number): void => {
      timer = left > limit ? setTimeout(arm, limit, left - limit) : setTimeout(callback, Math.max(0, left));
    };
    arm(delay);
    return { cancel: () => clearTimeout(timer) };
  },
  busy: () => nothing,
};

/** Resolves after `delay`; rejects with the signal's reason when aborted first. */
export function sleep(clock: Clock, delay: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = clock.setTimer(delay, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    function onAbort(): void {
      timer.cancel();
      reject(signal?.reason);
    }
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** Settles as `work` does, or rejects with a TimeoutError after `limit`. */
export function withTimeout<T>(clock: Clock, limit: number, what: string, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(limit, () =>
      reject(new TimeoutError(`${what} took longer than ${limit} ms`)),
    );
    work.then(resolve, reject).finally(() => timer.cancel());
  });
}
