// A watch that can be cut, expired or held up from outside, and that says by its presence that it is open.
import type { WatchEvent } from "@kubewright/api";
import type { RequestFacts } from "./request-facts.js";

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

/** Where events come from; some tell at once of those that wait. */
type Events = AsyncIterator<WatchEvent<unknown>, unknown> & {
  nextNow?(): WatchEvent<unknown> | undefined;
};

/** Something that keeps events back until it is over. */
export interface Hold {
  readonly over: Promise<void>;
}

export class ControlledWatch implements AsyncIterableIterator<WatchEvent<unknown>, undefined> {
  readonly request: RequestFacts;
  readonly #events: Events;
  readonly #onEnd: () => void;
  readonly #holds = new Set<Hold>();
  #last: WatchEvent<unknown> | undefined;
  #isOver = false;

  constructor(request: RequestFacts, events: Events, onEnd: () => void) {
    this.request = request;
    this.#events = events;
    this.#onEnd = onEnd;
  }

  async next(): Promise<Result> {
    if (this.#isOver) return done;
    const result = await this.#events.next();
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

  /** The next event if it waits already and nothing holds it. */
  nextNow(): WatchEvent<unknown> | undefined {
    return this.#isOver || this.#holds.size > 0 ? undefined : this.#events.nextNow?.();
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
