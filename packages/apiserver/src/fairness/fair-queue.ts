// The fair queue of requests over connections: one thread serves them all, and a client with a thousand requests at once must not make a
// client with a single request wait for all of them.
//
// Guarantees
// - While the server has little to do, requests are served at once.
// - In each round of the event loop, requests begin for one time slice. Later ones are queued, and the queues of flows are served round
//   robin, whatever their length.
// - The queue of a flow is bounded; requests beyond it are refused.
import { timeSliceMs } from "../time-slice.js";

/** The length of the queue of one flow: what kube-apiserver allows by default. */
const maxQueued = 400;
/** The most requests that begin in one round. */
const maxPerRound = 64;

export interface FairQueueOptions {
  /** Milliseconds that never jump. */
  readonly now?: (() => number) | undefined;
  /** Calls back in the next round of the event loop. */
  readonly nextRound?: ((callback: () => void) => void) | undefined;
}

interface Flow {
  readonly name: string;
  readonly waiting: (() => void)[];
}

/** The queue of the flow is full. */
export class QueueFull extends Error {
  override readonly name = "QueueFull";
}

export class FairQueue {
  readonly #now: () => number;
  readonly #nextRound: (callback: () => void) => void;
  readonly #flows = new Map<string, Flow>();
  /** Flows with queued requests; the first is served next. */
  #ring: Flow[] = [];
  #roundSince = 0;
  #inRound = false;
  /** The number of requests that begin in the next round: doubled while they stay within the time slice, halved when they do not. */
  #atOnce = 1;
  /** Whether the requests that began in the last round took longer than a time slice, until they were done or waited for something. */
  #wasLong = false;
  #size = 0;

  constructor(options: FairQueueOptions = {}) {
    this.#now = options.now ?? (() => performance.now());
    this.#nextRound = options.nextRound ?? ((callback) => void setImmediate(callback));
  }

  /** The number of queued requests. */
  get size(): number {
    return this.#size;
  }

  /** Returns undefined when the request may begin at once, else a promise that resolves when it may. Throws QueueFull where the flow is limited. */
  enter(name: string, isLimited: boolean): Promise<void> | undefined {
    if (!this.#inRound) {
      this.#inRound = true;
      this.#roundSince = this.#now();
      this.#nextRound(this.#round);
      return undefined;
    }
    if (this.#size === 0 && this.#now() - this.#roundSince < timeSliceMs) return undefined;
    const flow = this.#flows.get(name) ?? { name, waiting: [] };
    if (isLimited && flow.waiting.length >= maxQueued) throw new QueueFull();
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
      this.#wasLong = false;
      return;
    }
    const now = this.#now();
    this.#atOnce = this.#wasLong ? Math.max(1, this.#atOnce >> 1) : Math.min(maxPerRound, this.#atOnce * 2);
    this.#roundSince = now;
    for (let left = this.#atOnce; left > 0 && this.#size > 0; left--) this.#begin();
    // Requests go on in microtasks; other work of the round, such as slices of long lists, is not theirs.
    queueMicrotask(() => {
      process.nextTick(() => {
        this.#wasLong = this.#now() - now > timeSliceMs;
      });
    });
    this.#nextRound(this.#round);
  };

  /** Begins the next request of the flow that is served next. */
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
