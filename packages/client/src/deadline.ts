// Bounds one piece of work by a signal and a time limit, whichever comes first, and leaves neither a timer nor a
// listener behind.
import { type Clock, TimeoutError } from "@kubewright/api";

/** The timeout and the signal that end an operation. */
export interface Bounds {
  readonly signal?: AbortSignal | undefined;
  readonly timeout?: number | undefined;
}

/**
 * Runs `work` with a signal that fires at the limit; rejects then, even if the work does not listen. `late` begins the
 * message of the TimeoutError: `get Pod shop/web: no answer`.
 */
export function withinBounds<T>(
  clock: Clock,
  { signal, timeout }: Bounds,
  late: string,
  work: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  if (timeout === undefined) return work(signal);
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    const stop = (reason: unknown): void => {
      controller.abort(reason);
      reject(reason);
    };
    const onAbort = (): void => stop(signal?.reason);
    if (signal?.aborted) return onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    const timer = clock.setTimer(timeout, () => stop(new TimeoutError(`${late} in ${timeout} ms`)));
    work(controller.signal)
      .then(resolve, reject)
      .finally(() => {
        timer.cancel();
        signal?.removeEventListener("abort", onAbort);
      });
  });
}
