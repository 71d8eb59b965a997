// Events of a watch as they happen, each with the time it came at: they wait in line until they are asked for, so that how long
// one was kept back says nothing about the next.
import type { Clock, WatchEvent } from "@kubewright/api";

/** Where events come from; some return at once those that wait. */
export type Events = AsyncIterator<WatchEvent<unknown>, unknown> & {
  nextNow?(): WatchEvent<unknown> | undefined;
};

/** An event, or the end. */
export interface Arrival {
  readonly result: IteratorResult<WatchEvent<unknown>, unknown>;
  readonly at: number;
}

export class Arrivals {
  readonly #events: Events;
  readonly #clock: Clock;
  /** What came and was not asked for; an end is given again and again. */
  readonly #line: Arrival[] = [];
  #wake: () => void = () => undefined;

  /** Begins when earlier requests have been answered. */
  constructor(events: Events, clock: Clock, asked: Promise<unknown> | undefined) {
    this.#events = events;
    this.#clock = clock;
    this.#fill(asked).catch(() => undefined);
  }

  /** To be called again only when the answer is there. */
  async next(): Promise<Arrival> {
    for (;;) {
      const [first] = this.#line;
      if (first && !first.result.done) this.#line.shift();
      if (first) return first;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** An event that is there already; undefined when there is none. */
  nextNow(): WatchEvent<unknown> | undefined {
    const [first] = this.#line;
    if (!first || first.result.done) return undefined;
    this.#line.shift();
    return first.result.value;
  }

  async #fill(asked: Promise<unknown> | undefined): Promise<void> {
    await asked;
    for (let isOver = false; !isOver; ) {
      const result = await this.#events.next();
      this.#line.push({ result, at: this.#clock.now() });
      this.#wake();
      isOver = result.done === true;
    }
  }
}
