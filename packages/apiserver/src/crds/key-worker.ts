// A work queue for the controllers inside the API server: one key at a time, each queued at most once, failures retried with backoff.
import type { Clock, Timer } from "@kubewright/api";

export interface KeyWorkerOptions {
  readonly clock: Clock;
  /** The name of the work, which a virtual clock shows when it waits for it. */
  readonly name: string;
  work(key: string): Promise<void>;
}

const firstDelay = 10;
const maxDelay = 60_000;

export class KeyWorker {
  readonly #options: KeyWorkerOptions;
  /** Queued keys, in order. A key in flight may be queued again. */
  readonly #queue = new Set<string>();
  /** How often in a row each key has failed. */
  readonly #failures = new Map<string, number>();
  readonly #retries = new Map<string, Timer>();
  #isRunning = false;
  #isClosed = false;

  constructor(options: KeyWorkerOptions) {
    this.#options = options;
  }

  add(key: string): void {
    if (this.#isClosed) return;
    this.#queue.add(key);
    if (this.#isRunning) return;
    this.#isRunning = true;
    const done = this.#options.clock.busy(this.#options.name);
    void this.#run().finally(done);
  }

  /** Ends after the key in flight. */
  close(): void {
    this.#isClosed = true;
    this.#queue.clear();
    for (const timer of this.#retries.values()) timer.cancel();
    this.#retries.clear();
  }

  async #run(): Promise<void> {
    // The request whose write queued the key is answered first.
    await Promise.resolve();
    for (const key of this.#queue) {
      this.#queue.delete(key);
      this.#retries.get(key)?.cancel();
      this.#retries.delete(key);
      try {
        await this.#options.work(key);
        this.#failures.delete(key);
      } catch {
        this.#retryLater(key);
      }
    }
    this.#isRunning = false;
  }

  #retryLater(key: string): void {
    if (this.#isClosed) return;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const delay = Math.min(maxDelay, firstDelay * 2 ** (failures - 1));
    this.#retries.set(
      key,
      this.#options.clock.setTimer(delay, () => this.add(key)),
    );
  }
}
