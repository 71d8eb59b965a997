// A watch that can be cut, expired, held up or slowed down from outside, and that says by its presence that it is open.
import type { Clock, WatchEvent } from "@kubewright/api";
import { Arrivals, type Events } from "./arrivals.js";
import type { RequestAttributes } from "./request-attributes.js";

type Result = IteratorResult<WatchEvent<unknown>, undefined>;

const done: Result = { value: undefined, done: true };

const expired: WatchEvent<unknown> = {
  type: "ERROR",
  object: Object.freeze({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "too old resource version, as a fault says",
    reason: "Expired",
    code: 410,
  }),
};

/** Something that keeps events back until it is over. */
export interface Hold {
  readonly over: Promise<void>;
}

/** Something that lets every event come later. */
export interface Delay {
  /** Resolves when an event of this time may be seen. */
  until(time: number): Promise<void>;
}

export class ControlledWatch implements AsyncIterableIterator<WatchEvent<unknown>, undefined> {
  readonly request: RequestAttributes;
  readonly #events: Events;
  readonly #clock: Clock;
  readonly #onEnd: () => void;
  readonly #holds = new Set<Hold>();
  readonly #delays = new Set<Delay>();
  /** Takes events as they happen, once they have been slowed down. */
  #arrivals: Arrivals | undefined;
  #asked: ReturnType<Events["next"]> | undefined;
  #last: WatchEvent<unknown> | undefined;
  #isOver = false;

  constructor(request: RequestAttributes, events: Events, clock: Clock, onEnd: () => void) {
    this.request = request;
    this.#events = events;
    this.#clock = clock;
    this.#onEnd = onEnd;
  }

  async next(): Promise<Result> {
    if (this.#isOver) return done;
    const late = this.#arrivals && (await this.#arrivals.next());
    if (!late) this.#asked = this.#events.next();
    const result = late?.result ?? (await this.#asked) ?? done;
    // Also when somebody was waiting already as the watch was slowed down.
    if (this.#delays.size > 0) await this.#delay(late?.at ?? this.#clock.now());
    for (const hold of this.#holds) {
      await hold.over;
      this.#holds.delete(hold);
    }
    if (!result.done && !this.#isOver) return { value: result.value, done: false };
    this.#end();
    const last = this.#last;
    this.#last = undefined;
    return last ? { value: last, done: false } : done;
  }

  async #delay(at: number): Promise<void> {
    for (const delay of this.#delays) await delay.until(at);
  }

  /** The next event if it waits already and nothing keeps it back. */
  nextNow(): WatchEvent<unknown> | undefined {
    const isKeptBack = this.#isOver || this.#holds.size > 0 || this.#delays.size > 0;
    return isKeptBack ? undefined : (this.#arrivals ?? this.#events).nextNow?.();
  }

  async return(): Promise<Result> {
    this.#end();
    await this.#events.return?.();
    return done;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Keeps what comes back from the client until the hold is over. */
  hold(hold: Hold): void {
    this.#holds.add(hold);
  }

  /** Lets what comes be seen later. */
  slowDown(delay: Delay): void {
    this.#delays.add(delay);
    this.#arrivals ??= new Arrivals(this.#events, this.#clock, this.#asked);
  }

  /** Takes a delay away. */
  speedUp(delay: Delay): void {
    this.#delays.delete(delay);
  }

  /** Ends it, as a server that restarts does. */
  cut(): void {
    this.#isOver = true;
    this.#events.return?.().catch(() => undefined);
  }

  /** Ends it with 410: the client has to list again. */
  expire(): void {
    this.#last = expired;
    this.cut();
  }

  #end(): void {
    this.#isOver = true;
    this.#onEnd();
  }
}
