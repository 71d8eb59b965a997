// Requests over connections take turns by flow (who asks, mostly): one thread serves them all, and a client with a thousand requests at
// once must not make one with a single request wait for all of them.
//
// Guarantees
// - While there is little to do, everything is served at once.
// - In each round of the event loop requests are begun for a few milliseconds. What comes then waits, and flows that wait have
//   their turn one after the other, whatever the number of their requests.
// - What one flow can make wait is bounded; beyond it is refused.
import { timeSliceMs } from "../time-slice.js";

/** Requests of one flow that may wait: what kube-apiserver lets one have in its queues. */
const mostWaiting = 400;
/** Requests begun in one round, at most. */
const mostAtOnce = 64;

export interface FairQueueOptions {
  /** Milliseconds that never jump. */
  readonly now?: (() => number) | undefined;
  /** Calls back when everyone else was looked after. */
  readonly nextRound?: ((callback: () => void) => void) | undefined;
}

interface Flow {
  readonly name: string;
  readonly waiting: (() => void)[];
}

/** A flow has too much waiting already. */
export class QueueFull extends Error {
  override readonly name = "QueueFull";
}

export class FairQueue {
  readonly #now: () => number;
  readonly #nextRound: (callback: () => void) => void;
  readonly #flows = new Map<string, Flow>();
  /** Flows that wait; the first is next. */
  #ring: Flow[] = [];
  #roundSince = 0;
  #inRound = false;
  /** How many are begun in the next round: as many as took no longer than a stretch. */
  #atOnce = 1;
  #size = 0;

  constructor(options: FairQueueOptions = {}) {
    this.#now = options.now ?? (() => performance.now());
    this.#nextRound = options.nextRound ?? ((callback) => void setImmediate(callback));
  }

  /** Requests that wait. */
  get size(): number {
    return this.#size;
  }

  /** Nothing when the request may begin at once, else a promise of its turn. Throws QueueFull, but not for those without limits. */
  enter(name: string, isLimited: boolean): Promise<void> | undefined {
    if (!this.#inRound) {
      this.#inRound = true;
      this.#roundSince = this.#now();
      this.#nextRound(this.#round);
      return undefined;
    }
    if (this.#size === 0 && this.#now() - this.#roundSince < timeSliceMs) return undefined;
    const flow = this.#flows.get(name) ?? { name, waiting: [] };
    if (isLimited && flow.waiting.length >= mostWaiting) throw new QueueFull();
    if (flow.waiting.length === 0) {
      this.#flows.set(name, flow);
      this.#ring.push(flow);
    }
    this.#size += 1;
    return new Promise((resolve) => flow.waiting.push(resolve));
  }

  readonly #round = (): void => {
    if (this.#size === 0) {
      this.#inRound = false;
      this.#atOnce = 1;
      return;
    }
    const now = this.#now();
    const wasLong = now - this.#roundSince > timeSliceMs;
    this.#atOnce = wasLong ? Math.max(1, this.#atOnce >> 1) : Math.min(mostAtOnce, this.#atOnce * 2);
    this.#roundSince = now;
    for (let left = this.#atOnce; left > 0 && this.#size > 0; left--) this.#begin();
    this.#nextRound(this.#round);
  };

  /** Begins the next request of the flow whose turn it is. */
  #begin(): void {
    const flow = this.#ring.shift();
    const begin = flow?.waiting.shift();
    if (!flow || !begin) return;
    this.#size -= 1;
    if (flow.waiting.length > 0) this.#ring.push(flow);
    else this.#flows.delete(flow.name);
    begin();
  }
}
