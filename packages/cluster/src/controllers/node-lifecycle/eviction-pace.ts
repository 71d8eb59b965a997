// The rate of evictions from unreachable nodes: one node in ten seconds in each zone, far fewer or none while most of the zone
// is not ready, and none at all while no node anywhere is ready.
import type { ZoneState, Zones } from "./zones.js";

const usualRate = 0.1;
const reducedRate = 0.01;
/** Smaller zones of which most is not ready give up nothing. */
const largeZone = 50;

interface Bucket {
  /** Nodes per second. */
  rate: number;
  tokens: number;
  at: number;
}

export class EvictionPace {
  readonly #zones: Zones;
  readonly #buckets = new Map<string, Bucket>();

  constructor(zones: Zones) {
    this.#zones = zones;
  }

  /**
   * Asks to give up a node of the zone: 0 when it may be done, and is counted; otherwise the milliseconds until it is worth asking
   * again, and undefined when that depends on other nodes.
   */
  ask(zone: string, now: number): number | undefined {
    if (this.#zones.isAllDisrupted) return undefined;
    const bucket = this.#bucket(zone, now);
    if (bucket.rate === 0) return undefined;
    if (bucket.tokens < 1) return Math.ceil(((1 - bucket.tokens) / bucket.rate) * 1000);
    bucket.tokens--;
    return 0;
  }

  #bucket(zone: string, now: number): Bucket {
    const rate = this.#rate(zone, this.#zones.state(zone));
    const bucket = this.#buckets.get(zone) ?? { rate, tokens: 1, at: now };
    this.#buckets.set(zone, bucket);
    bucket.tokens = Math.min(1, bucket.tokens + ((now - bucket.at) / 1000) * bucket.rate);
    bucket.at = now;
    // A node that had to wait starts to wait anew when the rate changes.
    if (bucket.rate !== rate && bucket.tokens < 1) bucket.tokens = 0;
    bucket.rate = rate;
    return bucket;
  }

  #rate(zone: string, state: ZoneState): number {
    if (state !== "partial") return usualRate;
    return this.#zones.size(zone) > largeZone ? reducedRate : 0;
  }
}
