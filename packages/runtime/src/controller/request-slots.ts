// Bounds the requests that the controllers of a manager have in flight. Thousands of objects may be due in the same second,
// and one reconcile may send hundreds of requests at once: the API server would make them wait anyway, and each that waits
// there costs memory on both sides.
//
// The bound is shared fairly: reconciles that wait are served round-robin, one request each, so that a reconcile with a thousand
// requests delays the others by one request at a time.

/** Requests in flight at once. Default for a manager. */
export const defaultMaxInFlight = 32;

export class RequestSlots {
  #free: number;
  /** The waiting reconciles, in the order they are served; each with its requests in the order they came. */
  readonly #waiting = new Map<object, (() => void)[]>();

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Sends a request once there is a slot for it. `owner` is the one it is sent for. */
  async use<T>(owner: object, send: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#next(owner);
    try {
      return await send();
    } finally {
      this.#release();
    }
  }

  #next(owner: object): Promise<void> {
    return new Promise((resolve) => {
      const requests = this.#waiting.get(owner);
      if (requests) requests.push(resolve);
      else this.#waiting.set(owner, [resolve]);
    });
  }

  /** The slot goes to the first request of the next reconcile, which then moves to the end. */
  #release(): void {
    for (const [owner, requests] of this.#waiting) {
      const begin = requests.shift();
      this.#waiting.delete(owner);
      if (requests.length > 0) this.#waiting.set(owner, requests);
      begin?.();
      return;
    }
    this.#free += 1;
  }
}
