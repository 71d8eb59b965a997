// Work that several requests wait for at once. It goes on while any of them does, and is cancelled when the last has left.
import { clientLeft } from "../kinds/failures.js";
import { onAbort } from "../request/on-abort.js";

export class SharedWork {
  readonly #controller = new AbortController();
  readonly #outcome: Promise<void>;
  #waiting = 0;

  constructor(start: (signal: AbortSignal) => Promise<void>) {
    this.#outcome = start(this.#controller.signal);
    // Those who wait are told; when all have left, nobody needs to be.
    this.#outcome.catch(() => undefined);
  }

  /** Whether it was given up: then it is of no use to those who come later. */
  get isAbandoned(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Resolves when the work is done; rejects when it failed, or when whoever waits is gone. Without a signal, nobody goes. */
  async wait(signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) throw clientLeft();
    this.#waiting += 1;
    let stay: () => void = () => undefined;
    const left = new Promise<never>((_, reject) => {
      stay = onAbort(signal, () => {
        reject(clientLeft());
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
