// Work that several requests wait for. It is cancelled when the last of them is.

import { requestCanceled } from "@kubewright/kinds";
import { onAbort } from "../request/on-abort.js";

export class SharedWork {
  readonly #controller = new AbortController();
  readonly #outcome: Promise<void>;
  #waiting = 0;

  constructor(start: (signal: AbortSignal) => Promise<void>) {
    this.#outcome = start(this.#controller.signal);
    // Every waiter gets the rejection; without waiters it is not unhandled.
    this.#outcome.catch(() => undefined);
  }

  /** Whether the work was cancelled; later requests must start it again. */
  get isAbandoned(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Resolves when the work is done; rejects when it failed, or when `signal` is aborted. */
  async wait(signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) throw requestCanceled();
    this.#waiting += 1;
    let stay: () => void = () => undefined;
    const left = new Promise<never>((_, reject) => {
      stay = onAbort(signal, () => {
        reject(requestCanceled());
        this.#waiting -= 1;
        if (this.#waiting === 0) this.#controller.abort();
      });
    });
    try {
      await Promise.race([left, this.#outcome]);
    } finally {
      stay();
    }
  }
}
