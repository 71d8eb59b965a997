// A promise that many may wait for, each with a signal of its own, and that leaves nothing behind.

interface Waiter {
  resolve(): void;
  reject(reason: unknown): void;
}

/** Holds everyone back until it is opened, or fails. */
export class Gate {
  readonly #waiters = new Set<Waiter>();
  #outcome: "open" | { readonly error: Error } | undefined;

  /** Resolves once open; rejects when it fails or the signal fires first. */
  wait(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#outcome) return this.#outcome === "open" ? resolve() : reject(this.#outcome.error);
      if (signal?.aborted) return reject(signal.reason);
      const leave = (): void => {
        this.#waiters.delete(waiter);
        signal?.removeEventListener("abort", onAbort);
      };
      const waiter: Waiter = {
        resolve() {
          leave();
          resolve();
        },
        reject(reason) {
          leave();
          reject(reason);
        },
      };
      const onAbort = (): void => waiter.reject(signal?.reason);
      this.#waiters.add(waiter);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  open(): void {
    this.#outcome ??= "open";
    for (const waiter of [...this.#waiters]) waiter.resolve();
  }

  fail(error: Error): void {
    this.#outcome ??= { error };
    for (const waiter of [...this.#waiters]) waiter.reject(error);
  }
}
