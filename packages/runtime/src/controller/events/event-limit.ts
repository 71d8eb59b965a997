// A limit of events for each reason of an object, with the numbers of client-go's spam filter: 25 at once, then one every five minutes.
// A controller that goes wrong must not fill the storage of the API server with more events than anyone can read.
import type { Clock } from "@kubewright/api";

const burst = 25;
/** The time after which one more event is allowed, in milliseconds. */
const refill = 5 * 60_000;
/** Limits that are remembered; beyond it the ones with the oldest events are forgotten. */
const maxBuckets = 8_192;

interface Bucket {
  tokens: number;
  /** The time when the tokens were last counted, on the monotonic clock. */
  at: number;
}

export class EventLimit {
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes one of the tokens of a key, such as an object and a reason; false when it has none left. */
  allows(key: string): boolean {
    const now = this.#clock.monotonic();
    const bucket = this.#buckets.get(key) ?? { tokens: burst, at: now };
    bucket.tokens = Math.min(burst, bucket.tokens + (now - bucket.at) / refill);
    bucket.at = now;
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    this.#trim();
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  #trim(): void {
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= maxBuckets) return;
      this.#buckets.delete(oldest);
    }
  }
}
